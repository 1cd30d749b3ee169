import { type Problem } from './app-writer.ts'

/** Why records were rejected, and how many. */
export interface Cause {
  readonly reason: string
  count: number
  /** The first lines. */
  readonly lines: number[]
}

const shownLines = 5
// The rest are counted together.
const maxCauses = 1000

export class Causes {
  readonly #byReason = new Map<string, Cause>()

  add(reason: string, line: number): void {
    const known = this.#byReason.has(reason) || this.#byReason.size < maxCauses
    const key = known ? reason : 'other reasons'
    const cause = this.#byReason.get(key) ?? { reason: key, count: 0, lines: [] }
    this.#byReason.set(key, cause)
    cause.count += 1
    if (cause.lines.length < shownLines) cause.lines.push(line)
  }

  // The most frequent ones first.
  list(): readonly Cause[] {
    return [...this.#byReason.values()].toSorted((a, b) => b.count - a.count)
  }
}

// One line; the members that the problem is about come first.
export function describeProblem({ errors, status, title }: Problem): string {
  if (errors.length === 0) return oneLine(`${title} (${status})`)
  return oneLine(
    errors.map(({ detail, pointer }) => `${toName(pointer)} ${detail}`.trim()).join('; '),
  )
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ').slice(0, 500)
}

// A JSON Pointer as the name of a field: `#/lines/0/price` is `lines.0.price`.
function toName(pointer: string): string {
  return pointer
    .replace(/^#?\/?/, '')
    .split('/')
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
    .join('.')
}
