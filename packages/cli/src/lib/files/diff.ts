/** Number of lines that differ between two texts. */
export interface Differences {
  readonly added: number
  readonly removed: number
}

type Step = { readonly kind: ' ' | '+' | '-'; readonly line: string }

/**
 * Counts the lines that differ.
 *
 * @param before text as it is
 * @param after text as it would be
 * @returns lines added and removed
 */
export function countDifferences(before: string, after: string): Differences {
  const steps = compareLines(before, after)
  return {
    added: steps.filter(({ kind }) => kind === '+').length,
    removed: steps.filter(({ kind }) => kind === '-').length,
  }
}

/**
 * Writes the difference of two texts as a unified diff with three lines of context.
 *
 * @param path the file's path, for the header
 * @param before text as it is
 * @param after text as it would be
 * @returns the lines of the diff; none when the texts are equal
 */
export function toUnifiedDiff(path: string, before: string, after: string): readonly string[] {
  const steps = compareLines(before, after)
  const lines: string[] = []
  let oldLine = 1
  let newLine = 1
  let index = 0
  for (const hunk of findHunks(steps)) {
    for (; index < hunk.start; index += 1) {
      oldLine += 1
      newLine += 1
    }
    const part = steps.slice(hunk.start, hunk.end)
    const oldCount = part.filter(({ kind }) => kind !== '+').length
    const newCount = part.filter(({ kind }) => kind !== '-').length
    lines.push(`@@ -${oldLine},${oldCount} +${newLine},${newCount} @@`)
    lines.push(...part.map(({ kind, line }) => kind + line))
    oldLine += oldCount
    newLine += newCount
    index = hunk.end
  }
  return lines.length === 0 ? [] : [`--- a/${path}`, `+++ b/${path}`, ...lines]
}

const context = 3

function findHunks(steps: readonly Step[]): readonly { start: number; end: number }[] {
  const hunks: { start: number; end: number }[] = []
  for (const [index, { kind }] of steps.entries()) {
    if (kind === ' ') continue
    const start = Math.max(0, index - context)
    const end = Math.min(steps.length, index + context + 1)
    const last = hunks.at(-1)
    if (last !== undefined && start <= last.end) last.end = end
    else hunks.push({ start, end })
  }
  return hunks
}

function compareLines(before: string, after: string): readonly Step[] {
  const a = toLines(before)
  const b = toLines(after)
  let head = 0
  while (head < a.length && head < b.length && a[head] === b[head]) head += 1
  let tail = 0
  while (tail < a.length - head && tail < b.length - head && a.at(-1 - tail) === b.at(-1 - tail)) {
    tail += 1
  }
  return [
    ...a.slice(0, head).map((line) => ({ kind: ' ' as const, line })),
    ...compareMiddle(a.slice(head, a.length - tail), b.slice(head, b.length - tail)),
    ...a.slice(a.length - tail).map((line) => ({ kind: ' ' as const, line })),
  ]
}

// Longest common subsequence; generated files are short, so the table is small.
function compareMiddle(a: readonly string[], b: readonly string[]): readonly Step[] {
  const common = commonLengths(a, b)
  const steps: Step[] = []
  let i = 0
  let j = 0
  while (i < a.length && j < b.length) {
    if (a[i] === b[j]) {
      steps.push({ kind: ' ', line: a[i] ?? '' })
      i += 1
      j += 1
    } else if (common(i + 1, j) >= common(i, j + 1)) {
      steps.push({ kind: '-', line: a[i] ?? '' })
      i += 1
    } else {
      steps.push({ kind: '+', line: b[j] ?? '' })
      j += 1
    }
  }
  const removed = a.slice(i).map((line): Step => ({ kind: '-', line }))
  const added = b.slice(j).map((line): Step => ({ kind: '+', line }))
  return [...steps, ...removed, ...added]
}

function commonLengths(
  a: readonly string[],
  b: readonly string[],
): (i: number, j: number) => number {
  const width = b.length + 1
  const lengths = new Uint32Array((a.length + 1) * width)
  const at = (i: number, j: number): number => lengths[i * width + j] ?? 0
  for (let i = a.length - 1; i >= 0; i -= 1) {
    for (let j = b.length - 1; j >= 0; j -= 1) {
      const same = a[i] === b[j]
      lengths[i * width + j] = same ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1))
    }
  }
  return at
}

function toLines(text: string): readonly string[] {
  if (text === '') return []
  const lines = text.split('\n')
  return lines.at(-1) === '' ? lines.slice(0, -1) : lines
}
