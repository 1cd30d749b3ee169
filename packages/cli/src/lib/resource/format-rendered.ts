import { findFormatter, type Format, isTemplateStyle } from '../files/format-files.ts'
import { type FileHashes, hashText } from '../project/manifest.ts'
import { type Project } from '../project/open-project.ts'
import { needsFormatting, type RenderedText } from './render-resource.ts'

/** Reads a file of the project; a plan for several resources reads its own earlier edits. */
export type ReadFile = (path: string) => string | undefined

/** What is known about the files before they are formatted. */
export interface FormatContext {
  /** Hashes of the last run. */
  readonly known: Readonly<Record<string, FileHashes>>
  readonly read: ReadFile
  /** False for `--no-format`. */
  readonly enabled: boolean
}

/**
 * Formats rendered files as the project would. A file on disk that says the same in another format
 * is left as it is.
 *
 * @param project the project
 * @param files the rendered files
 * @param context what is known about them
 * @returns the text of each file, in the same order
 */
export function formatRendered(
  project: Project,
  files: readonly RenderedText[],
  context: FormatContext,
): Promise<readonly string[]> {
  const style = isTemplateStyle(project)
  const formatter = context.enabled ? findFormatter(project) : undefined
  return Promise.all(
    files.map(async (file) => {
      const present = context.read(file.path)
      if (present !== undefined && isUntouched(file, present, context)) return present
      if (formatter === undefined) return file.text
      const text =
        style && !needsFormatting(file) ? file.text : await formatter(file.path, file.text)
      const same =
        present !== undefined && (await saysTheSame(formatter, file.path, [present, text]))
      return same ? present : text
    }),
  )
}

function isUntouched(file: RenderedText, present: string, { known }: FormatContext): boolean {
  if (present === file.text) return true
  const hashes = known[file.path]
  return hashes?.rendered === hashText(file.text) && hashes.written === hashText(present)
}

// Like with like: what is on disk may have gone through the formatter since.
async function saysTheSame(
  formatter: Format,
  path: string,
  [present, text]: readonly [string, string],
): Promise<boolean> {
  if (present === text) return true
  const [left, right] = await Promise.all([formatter(path, present), formatter(path, text)])
  return left === right
}
