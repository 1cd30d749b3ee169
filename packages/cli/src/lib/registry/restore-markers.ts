import { type Range } from '../code/text-edits.ts'
import { markerNames, parseSource, readStatements, RegistryProblem } from './read-registry.ts'

export async function restoreMarkers(source: string): Promise<string> {
  let text = source
  for (const name of markerNames) text = await restorePair(text, name)
  return text
}

async function restorePair(source: string, name: 'imports' | 'mounts'): Promise<string> {
  const file = await parseSource(source)
  const comments = (file.comments ?? []).map((comment) => comment.value.trimStart())
  const opening = comments.filter((text) => text.startsWith(`<api:${name}>`)).length
  const closing = comments.filter((text) => text.startsWith(`</api:${name}>`)).length
  if (opening === 1 && closing === 1) return source
  if (opening > 1 || closing > 1) {
    throw new RegistryProblem(`has more than one ${name} marker`, 'remove the wrong one by hand')
  }
  const cleared = removeMarkers(source, name)
  const statements = readStatements(await parseSource(cleared))
  const last = (name === 'imports' ? statements.imports : statements.mounts).at(-1)
  const eol = cleared.includes('\r\n') ? '\r\n' : '\n'
  const lines = [`// <api:${name}>`, `// </api:${name}>`]
  return insertAfter(cleared, last, { lines, eol })
}

function removeMarkers(source: string, name: string): string {
  const line = new RegExp(`^[ \\t]*(//|/\\*)[ \\t]*</?api:${name}>.*(\\r?\\n|$)`, 'gm')
  return source.replace(line, '')
}

interface Insertion {
  readonly lines: readonly string[]
  readonly eol: string
}

function insertAfter(source: string, last: Range | undefined, { lines, eol }: Insertion): string {
  const text = lines.join(eol) + eol
  if (last === undefined) {
    return source.endsWith('\n') || source === '' ? source + text : source + eol + text
  }
  const end = source.indexOf('\n', last.end)
  if (end === -1) return source + eol + text
  return source.slice(0, end + 1) + text + source.slice(end + 1)
}
