import { mergeJson } from './merge-json.ts'
import { type Merged, type MergeOptions, mergeText, type Versions } from './merge-text.ts'

// Merges one file; line endings and a byte order mark are those of ours.
export async function mergeFile(
  path: string,
  versions: Versions,
  options: MergeOptions,
): Promise<Merged> {
  const { base, ours, theirs } = versions
  const mark = ours.startsWith('\uFEFF') ? '\uFEFF' : ''
  const isCrlf = ours.includes('\r\n') && !/(^|[^\r])\n/.test(ours)
  const plain = isCrlf ? ours.replaceAll('\r\n', '\n') : ours
  const merge = path.endsWith('.json') ? mergeJson : mergeText
  const own = plain.slice(mark.length)
  if (own === theirs || base === theirs) return { text: ours, conflicts: 0 }
  const merged =
    base === own
      ? { text: theirs, conflicts: 0 }
      : await merge({ base, ours: own, theirs }, options)
  const text = isCrlf ? merged.text.replaceAll('\n', '\r\n') : merged.text
  return { ...merged, text: mark + text }
}
