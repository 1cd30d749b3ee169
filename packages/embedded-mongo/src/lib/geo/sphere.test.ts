import { describe, expect, it } from 'vitest'
import { createRandom, type Random } from '../../../test/random.ts'
import { covers, createLine, createPolygon, distanceTo, intersects, toVector } from './sphere.ts'

type Flat = readonly [number, number]

// Shapes are drawn in a plane that touches the sphere somewhere. Its straight lines are arcs on the
// sphere, so simple geometry of the plane gives the right result, at poles and at the antimeridian.
describe('shapes on the sphere', () => {
  it('contain, cross and cover one another as they do in the plane', () => {
    const random = createRandom(20_261_123)
    const counts = { contained: 0, crossing: 0, covered: 0 }
    for (let round = 0; round < 2000; round++) {
      const lift = createPlane(random)
      const [ring, other] = [randomRing(random, 0), randomRing(random, 0.4)]
      const [polygon, second] = [ring, other].map((flat) => createPolygon([flat.map(lift)]))
      if (!polygon || !second) throw new Error('Two rings give two polygons')
      const point = randomFlat(random, 0.5)
      expect(polygon.contains(lift(point)), `round ${round}`).toBe(isInside(ring, point))
      const line = [randomFlat(random, 0.5), randomFlat(random, 0.5)] as const
      const doesCross = isTouching(ring, line)
      expect(intersects(createLine(line.map(lift)), polygon), `round ${round}`).toBe(doesCross)
      const edges = other.map((from, i) => [from, other[(i + 1) % other.length] ?? from] as const)
      const isCovered = edges.every(([from]) => isInside(ring, from)) && !hasCrossing(ring, edges)
      expect(covers(polygon, second), `round ${round}`).toBe(isCovered)
      counts.contained += Number(isInside(ring, point))
      counts.crossing += Number(doesCross)
      counts.covered += Number(isCovered)
    }
    // The results vary.
    expect(Math.min(...Object.values(counts))).toBeGreaterThan(100)
  })

  it('are as far away as their closest point', () => {
    const quarter = createLine([toVector([0, 0]), toVector([90, 0])])
    expect(distanceTo(quarter, toVector([45, 10]))).toBeCloseTo(Math.PI / 18, 12)
    expect(distanceTo(quarter, toVector([100, 0]))).toBeCloseTo(Math.PI / 18, 12)
    expect(distanceTo(quarter, toVector([-135, 0]))).toBeCloseTo((3 * Math.PI) / 4, 12)
  })
})

function createPlane(random: Random): (flat: Flat) => readonly [number, number, number] {
  const longitude = random.pick([0, 180, -180, random.int(360) - 180])
  const latitude = random.pick([0, 90, -90, random.int(180) - 90])
  const [cosine, sine] = [
    Math.cos((latitude * Math.PI) / 180),
    Math.sin((latitude * Math.PI) / 180),
  ]
  const turn = (longitude * Math.PI) / 180
  return ([x, y]) => {
    const [a, b, c] = [cosine - sine * y, x, sine + cosine * y]
    const length = Math.hypot(a, b, c)
    const [cos, sin] = [Math.cos(turn), Math.sin(turn)]
    return [(cos * a - sin * b) / length, (sin * a + cos * b) / length, c / length]
  }
}

function randomFlat(random: Random, size: number): Flat {
  return [(random.int(2001) / 1000 - 1) * size, (random.int(2001) / 1000 - 1) * size]
}

// Star-shaped around a point, so that it does not cross itself.
function randomRing(random: Random, shift: number): Flat[] {
  const [x, y] = randomFlat(random, shift)
  const size = shift === 0 ? 0.5 : 0.2
  const corners = 3 + random.int(5)
  return Array.from({ length: corners }, (_, i): Flat => {
    const angle = ((i + random.int(800) / 1000) / corners) * 2 * Math.PI
    const radius = size * (0.3 + random.int(700) / 1000)
    return [x + radius * Math.cos(angle), y + radius * Math.sin(angle)]
  })
}

function side([x1, y1]: Flat, [x2, y2]: Flat, [x, y]: Flat): number {
  return Math.sign((x2 - x1) * (y - y1) - (y2 - y1) * (x - x1))
}

// By the angles under which the point sees the edges: a full turn, or none.
function isInside(ring: readonly Flat[], [x, y]: Flat): boolean {
  let turn = 0
  for (const [i, from] of ring.entries()) {
    const to = ring[(i + 1) % ring.length] ?? from
    const change = Math.atan2(to[1] - y, to[0] - x) - Math.atan2(from[1] - y, from[0] - x)
    turn += change - 2 * Math.PI * Math.round(change / (2 * Math.PI))
  }
  return Math.abs(turn) > Math.PI
}

type FlatEdge = readonly [Flat, Flat]

function hasCrossing(ring: readonly Flat[], edges: readonly FlatEdge[]): boolean {
  return ring.some((from, i) => {
    const to = ring[(i + 1) % ring.length] ?? from
    return edges.some(
      ([a, b]) => side(from, to, a) !== side(from, to, b) && side(a, b, from) !== side(a, b, to),
    )
  })
}

function isTouching(ring: readonly Flat[], line: FlatEdge): boolean {
  return line.some((end) => isInside(ring, end)) || hasCrossing(ring, [line])
}
