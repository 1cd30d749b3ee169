import * as z from 'zod/mini'
import { CliError } from '../errors/cli-error.ts'
import { type WantedFile } from '../files/change.ts'
import { modelDescription } from './model-description.ts'
import { printJson } from './print-json.ts'

export const manifestFile = '.api/manifest.json'

const version = z.string().check(z.regex(/^\d+\.\d+\.\d+(-[\w.-]+)?$/))

const fileHashes = z.object({
  /** Hash of the rendered templates. */
  rendered: z.string(),
  /** Hash of the file as it was written, after formatting. */
  written: z.string(),
})

const resourceRecord = z.object({
  /** The name as typed. */
  name: z.string(),
  model: z.string().check(z.regex(/^[A-Z]\w*$/)),
  /** Field arguments as typed. */
  fields: z.array(z.string()),
  /** Options that differ from their defaults, by long name. */
  options: z.record(z.string(), z.string()),
  /** The model that it was generated for, if that existed before. */
  existing: z.optional(modelDescription),
  /** Version of create-api that wrote it. */
  cli: version,
  /** By path. */
  files: z.record(z.string(), fileHashes),
})

const projectRecord = z.object({
  /** Name of the package. */
  name: z.string(),
  pm: z.string(),
  /** True inside a workspace, whose settings apply. */
  workspace: z.optional(z.literal(true)),
  /** True with a typed client of its API. */
  client: z.optional(z.literal(true)),
  /** Version of create-api that wrote its files, or upgraded them last. */
  cli: version,
  /** Hashes of its files as written, by path. */
  files: z.record(z.string(), z.string()),
})

const schema = z.object({
  version: z.literal(1),
  /** Version of create-api that created the project. */
  cli: version,
  template: z.string(),
  /** By plural name. */
  resources: z.record(z.string(), resourceRecord),
  /** Absent in projects that were created before bases of upgrades were kept. */
  project: z.optional(projectRecord),
})

const later = z.object({ version: z.number().check(z.gt(1)) })

export type FileHashes = z.output<typeof fileHashes>
export type ResourceRecord = z.output<typeof resourceRecord>
export type ProjectRecord = z.output<typeof projectRecord>
export type Manifest = z.output<typeof schema>

export function printManifest(manifest: Manifest): string {
  const resources = Object.entries(manifest.resources).toSorted(([a], [b]) => (a < b ? -1 : 1))
  return printJson({ ...manifest, resources: Object.fromEntries(resources) })
}

// The change of the file, which lists of files do not mention.
export function editManifest(before: string | undefined, manifest: Manifest): WantedFile {
  return { kind: 'edit', path: manifestFile, before, text: printManifest(manifest), quiet: true }
}

// What is not described here stays, because another version may have written it.
export function parseManifest(text: string | undefined, cli: string): Manifest {
  if (text === undefined) return { version: 1, cli, template: 'default', resources: {} }
  const manifest = readJson(text)
  if (later.safeParse(manifest).success) throw laterManifest()
  const { error } = schema.safeParse(manifest)
  if (error === undefined) return manifest
  throw invalidManifest(error.issues[0]?.path.join('.') || 'it is not an object')
}

function readJson(text: string): Manifest {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw invalidManifest('it is not JSON', error)
  }
}

function laterManifest(): CliError {
  return new CliError('INVALID_CONFIG', `a later version of create-api wrote ${manifestFile}`, {
    hint: 'use that version: npm install --save-dev create-api@latest',
    files: [manifestFile],
  })
}

function invalidManifest(damage: string, cause?: unknown): CliError {
  return new CliError('INVALID_CONFIG', `${manifestFile} is damaged: ${damage}`, {
    hint: 'restore it from version control, or delete it; generated files are then no longer recognized',
    files: [manifestFile],
    cause,
  })
}
