import { isDocument, lookUp } from '../bson/document.ts'
import { isNumeric, toNumber } from '../bson/numeric.ts'
import { showValue } from '../bson/show-value.ts'
import { CommandError } from '../errors/command-error.ts'
import {
  findGeometry,
  type Geometry,
  InvalidGeometry,
  parseGeometry,
  type Position,
  toPosition,
} from './geometry.ts'
import { angleBetween, covers, intersects, isInRing, toVector } from './sphere.ts'

type GeometryTest = (geometry: Geometry) => boolean

// The operand of $geoWithin, as a test of stored values.
export function within(operand: unknown): (value: unknown) => boolean {
  return testStored(parseRegion(operand))
}

// The operand of $geoIntersects.
export function intersecting(operand: unknown): (value: unknown) => boolean {
  if (!isDocument(operand) || !('$geometry' in operand)) {
    throw new CommandError(
      'BadValue',
      `$geoIntersects not supported with provided geometry: ${showValue(operand)}`,
    )
  }
  const { shapes = [] } = requireGeometry(operand['$geometry'])
  return testStored((geometry) =>
    (geometry.shapes ?? []).some((shape) => shapes.some((other) => intersects(shape, other))),
  )
}

// Values that are not geometries never match.
function testStored(test: GeometryTest): (value: unknown) => boolean {
  return (value) => {
    const geometry = findGeometry(value)
    return geometry !== undefined && test(geometry)
  }
}

const regions: Readonly<Record<string, (operand: unknown) => GeometryTest>> = {
  $geometry: (operand) => {
    const { polygons } = requireGeometry(operand)
    if (polygons.length === 0) {
      throw new CommandError(
        'BadValue',
        `$geoWithin not supported with provided geometry: ${showValue(operand)}`,
      )
    }
    return ({ shapes }) =>
      shapes?.every((shape) => polygons.some((polygon) => covers(polygon, shape))) ?? false
  },
  $centerSphere: (operand) => {
    const { center, radius } = parseCircle(operand)
    const middle = toVector(center)
    return ({ shapes }) =>
      shapes?.every(({ vertices }) =>
        vertices.every((vertex) => angleBetween(middle, vertex) <= radius),
      ) ?? false
  },
  // In the plane only points are found.
  $center: (operand) => {
    const { center, radius } = parseCircle(operand)
    return testPosition((position) => distanceInPlane(center, position) <= radius)
  },
  $box: (operand) => {
    const [[x1, y1], [x2, y2]] = toCorners(operand, 2)
    return testPosition(([x, y]) => isBetween(x, x1, x2) && isBetween(y, y1, y2))
  },
  $polygon: (operand) => {
    const corners = toCorners(operand, 3)
    return testPosition((position) => isInRing(corners, position) || isOnRing(corners, position))
  },
}

function isBetween(value: number, a: number, b: number): boolean {
  return value >= Math.min(a, b) && value <= Math.max(a, b)
}

function parseRegion(operand: unknown): GeometryTest {
  if (!isDocument(operand)) throw new CommandError('BadValue', '$geoWithin requires an object')
  const [name = ''] = Object.keys(operand).filter((one) => one !== '$uniqueDocs')
  const parse = lookUp(regions, name)
  if (!parse) throw new CommandError('BadValue', `unknown geo specifier: ${showValue(operand)}`)
  return parse(operand[name])
}

export function requireGeometry(value: unknown): Geometry {
  return refuseInvalid('', () => parseGeometry(value))
}

// An invalid geometry of a query is an error.
export function refuseInvalid<T>(prefix: string, parse: () => T): T {
  try {
    return parse()
  } catch (error) {
    if (!(error instanceof InvalidGeometry)) throw error
    throw new CommandError('BadValue', prefix + error.message, { cause: error })
  }
}

function testPosition(test: (position: Position) => boolean): GeometryTest {
  return ({ position }) => position !== undefined && test(position)
}

export function distanceInPlane([x1, y1]: Position, [x2, y2]: Position): number {
  return Math.hypot(x2 - x1, y2 - y1)
}

function parseCircle(operand: unknown): { center: Position; radius: number } {
  const [center, radius]: unknown[] = Array.isArray(operand) ? operand : []
  if (!isNumeric(radius) || toNumber(radius) < 0) {
    throw new CommandError('BadValue', 'radius must be a non-negative number')
  }
  return { center: refuseInvalid('', () => toPosition(center)), radius: toNumber(radius) }
}

function toCorners(operand: unknown, least: number): [Position, Position, ...Position[]] {
  const corners = Array.isArray(operand)
    ? operand
    : isDocument(operand)
      ? Object.values(operand)
      : []
  const [first, second, ...rest] = corners.map((corner: unknown) =>
    refuseInvalid('', () => toPosition(corner)),
  )
  if (first && second && corners.length >= least) return [first, second, ...rest]
  throw new CommandError(
    'BadValue',
    least === 2 ? 'Box must be defined by two points' : 'Polygon must have at least 3 points',
  )
}

// A point on an edge is as far from its ends together as they are from one another.
function isOnRing(corners: readonly Position[], position: Position): boolean {
  return corners.some((from, i) => {
    const to = corners[(i + 1) % corners.length] ?? from
    const detour = distanceInPlane(from, position) + distanceInPlane(position, to)
    return detour - distanceInPlane(from, to) <= 1e-12 * detour
  })
}
