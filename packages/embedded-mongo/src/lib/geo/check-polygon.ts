import { angleBetween, createPolygon, edgesOf, isCrossing, type Vector } from './sphere.ts'

type Ring = readonly Vector[]

// What is wrong with a polygon: rings must not touch themselves, and holes must lie in the shell.
export function checkPolygon(rings: readonly Ring[]): string | undefined {
  for (const ring of rings) {
    const problem = checkRing(ring)
    if (problem !== undefined) return `Loop is not valid: ${problem}`
  }
  const [shell = [], ...holes] = rings
  const area = holes.length > 0 ? createPolygon([shell]) : undefined
  if (area && !holes.every((hole) => hole.every((vertex) => area.contains(vertex)))) {
    return 'Secondary loops not contained by first exterior loop - secondary loops must be holes'
  }
  const crossing = pairsOf(rings).find(([a, b]) =>
    edgesOf(a).some((edge) => edgesOf(b).some((other) => isCrossing(edge, other))),
  )
  return crossing && `Polygon isn't valid: Loop ${crossing[2]} crosses loop ${crossing[3]}`
}

function checkRing(ring: Ring): string | undefined {
  const repeated = pairsOf(ring).find(([a, b]) => angleBetween(a, b) === 0)
  if (repeated) return `Duplicate vertices: ${repeated[2]} and ${repeated[3]}`
  const crossing = pairsOf(edgesOf(ring)).find(([a, b]) => isCrossing(a, b))
  return crossing && `Edges ${crossing[2]} and ${crossing[3]} cross`
}

// Every two items, with their places.
function pairsOf<T>(items: readonly T[]): [T, T, number, number][] {
  return items.flatMap((a, i) =>
    items.slice(i + 1).map((b, j): [T, T, number, number] => [a, b, i, i + 1 + j]),
  )
}
