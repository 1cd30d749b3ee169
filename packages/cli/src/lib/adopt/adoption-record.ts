import * as z from 'zod/mini'
import { CliError } from '../errors/cli-error.ts'
import { adoptionFile } from '../project/adoption-file.ts'
import { printJson } from '../project/print-json.ts'

const record = z.object({
  version: z.literal(1),
  /** Version of create-api that adopted the application. */
  cli: z.string(),
  /** Hashes of new files as written, by path. */
  created: z.record(z.string(), z.string()),
  /** Texts of changed files, by path. */
  edited: z.record(z.string(), z.object({ before: z.string(), after: z.string() })),
  /** Lines that were added to the end of files which may hold secrets, by path. */
  added: z.record(
    z.string(),
    z.object({
      /** Hashes of the lines. */
      lines: z.array(z.string()),
      /** Whether the line before them ended without a newline. */
      newline: z.boolean(),
    }),
  ),
})

// What `--undo` takes back.
export type AdoptionRecord = z.output<typeof record>

export function printRecord(adoption: AdoptionRecord): string {
  return printJson(adoption)
}

export function parseRecord(text: string): AdoptionRecord {
  try {
    return record.parse(JSON.parse(text))
  } catch (cause) {
    throw new CliError('INVALID_CONFIG', `${adoptionFile} is damaged`, {
      hint: 'restore it from version control',
      files: [adoptionFile],
      cause,
    })
  }
}
