import { join } from 'node:path'
import { type WantedFile } from '../files/change.ts'
import { countDifferences, formatDiff } from '../files/diff.ts'
import { readText } from '../files/plan.ts'
import { hashText } from '../files/hash-text.ts'
import { type ResourceRecord } from '../project/manifest.ts'

export interface EditedFile {
  readonly path: string
  /** Unified diff of what is generated before and after. */
  readonly diff: readonly string[]
  /** The file as it would be without the edits. */
  readonly wanted: WantedFile
}

export interface FileComparison {
  /** Edits of files as they were generated. */
  readonly files: readonly WantedFile[]
  readonly edited: readonly EditedFile[]
}

export interface Renderings {
  readonly before: readonly WantedFile[]
  readonly after: readonly WantedFile[]
}

export function compareFiles(
  root: string,
  record: ResourceRecord,
  renderings: Renderings,
): FileComparison {
  const files: WantedFile[] = []
  const edited: EditedFile[] = []
  const rendered = renderings.before.filter((file) => file.kind === 'write')
  for (const { path, text } of renderings.after.filter((file) => file.kind === 'write')) {
    const before = rendered.find((file) => file.path === path)?.text ?? ''
    const present = readText(join(root, path))
    // A file that someone has deleted stays deleted.
    if (present === undefined) continue
    const untouched = present === before || hashText(present) === record.files[path]?.written
    const wanted = toEdit(path, present, text)
    if (untouched) files.push(wanted)
    else if (before !== text) edited.push({ path, diff: formatDiff(path, before, text), wanted })
  }
  return { files, edited }
}

function toEdit(path: string, present: string, rendered: string): WantedFile {
  const text = present.includes('\r\n') ? rendered.replaceAll(/\r?\n/g, '\r\n') : rendered
  const { added, removed } = countDifferences(present, text)
  return { kind: 'edit', path, before: present, text, detail: `+${added} −${removed}` }
}
