export interface TextFile {
  readonly path: string
  readonly text: string
}

// As git: a file has moved where another one has at least half of its lines.
const threshold = 0.5

// Pairs files that are gone with files that appeared; each at most once, the most similar first.
export function pairMoved(
  gone: readonly TextFile[],
  appeared: readonly TextFile[],
): ReadonlyMap<string, string> {
  const candidates = gone.flatMap((file) => {
    const lines = countLines(file.text)
    return appeared
      .filter(({ path }) => extensionOf(path) === extensionOf(file.path))
      .map(({ path, text }) => ({
        from: file.path,
        to: path,
        score: compare(lines, countLines(text)),
      }))
      .filter(({ score }) => score >= threshold)
  })
  const pairs = new Map<string, string>()
  const taken = new Set<string>()
  for (const { from, to } of candidates.toSorted((a, b) => b.score - a.score)) {
    if (pairs.has(from) || taken.has(to)) continue
    pairs.set(from, to)
    taken.add(to)
  }
  return pairs
}

interface LineCounts {
  readonly counts: ReadonlyMap<string, number>
  readonly total: number
}

// Indentation and empty lines say nothing about where a file comes from.
function countLines(text: string): LineCounts {
  const counts = new Map<string, number>()
  const lines = text.split('\n').map((line) => line.trim())
  const telling = lines.filter((line) => /\w/.test(line))
  for (const line of telling) counts.set(line, (counts.get(line) ?? 0) + 1)
  return { counts, total: telling.length }
}

function compare(one: LineCounts, other: LineCounts): number {
  let common = 0
  for (const [line, count] of one.counts) common += Math.min(count, other.counts.get(line) ?? 0)
  return common / Math.max(one.total, other.total, 1)
}

function extensionOf(path: string): string {
  return /\.[^./]+$/.exec(path)?.[0] ?? ''
}
