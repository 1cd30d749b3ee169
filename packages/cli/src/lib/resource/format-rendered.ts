import { hashText } from '../files/hash-text.ts'
import { type FileHashes } from '../project/manifest.ts'
import { type Project } from '../project/open-project.ts'
import { formatBuiltIn, chooseFormat } from './project-formatter.ts'
import { type RenderedFile } from './render-resource.ts'

// Reads a file of the project; a plan for several resources reads its own earlier edits.
export type ReadFile = (path: string) => string | undefined

interface FormatContext {
  /** Hashes of the last run. */
  readonly known?: Readonly<Record<string, FileHashes>>
  /** Without it, no file is there. */
  readonly read?: ReadFile
  /** False for `--no-format`: the project's formatter is not run. */
  readonly format?: boolean
}

// Formats rendered files, in the same order. A file on disk that differs in its format only is
// returned as it is.
export function formatRendered(
  project: Project,
  files: readonly RenderedFile[],
  { format: own = true, known = {}, read = () => undefined }: FormatContext = {},
): Promise<readonly string[]> {
  const format = own ? chooseFormat(project) : formatBuiltIn
  return Promise.all(
    files.map(async ({ path, text }) => {
      const present = read(path)
      if (present !== undefined && isUnchanged(text, present, known[path])) return present
      const formatted = (await format(path, text)) ?? text
      if (present === undefined || present === formatted) return formatted
      return (await format(path, present)) === formatted ? present : formatted
    }),
  )
}

// Hashes of rendered files and of their texts as they are written, for the manifest.
export function hashRendered(
  files: readonly RenderedFile[],
  texts: readonly string[],
): Record<string, FileHashes> {
  const hashes = files.map(({ path, text }, index) => [
    path,
    { rendered: hashText(text), written: hashText(texts[index] ?? '') },
  ])
  return Object.fromEntries(hashes)
}

function isUnchanged(rendered: string, present: string, hashes: FileHashes | undefined): boolean {
  return hashes?.rendered === hashText(rendered) && hashes.written === hashText(present)
}
