import { type Doc, isDocument } from '../bson/document.ts'
import { isNumeric, toNumber } from '../bson/numeric.ts'
import { showValue } from '../bson/show-value.ts'
import { CommandError } from '../errors/command-error.ts'
import { type GeoField } from './geo-index.ts'
import { findGeometry, isGeoJson, isOnEarth, parseGeometry, type Position } from './geometry.ts'
import { distanceInPlane, refuseInvalid } from './region.ts'
import { distanceTo, earthRadius, toVector } from './sphere.ts'

export interface NearQuery {
  // The kinds of index that can serve it.
  kinds: readonly GeoField['kind'][]
  // The distance of a stored value, or undefined when it is not a geometry or out of range: in meters
  // from a GeoJSON point, in radians from a legacy pair on the sphere, else in units of the plane.
  distance(value: unknown): number | undefined
}

// `$near: point` or `$near: { $geometry, $minDistance, $maxDistance }`; `all` has the limits beside
// a point.
export function parseNear(operator: string, operand: unknown, all: Doc): NearQuery {
  if (isDocument(operand) && '$geometry' in operand) {
    const { $geometry: point, ...limits } = operand
    if (!isGeoJson(point)) {
      throw new CommandError('BadValue', `$near requires geojson point, given ${showValue(point)}`)
    }
    return createNear(point, { limits, isSphere: true })
  }
  const [, , maximum]: unknown[] = Array.isArray(operand) ? operand : []
  const limits = maximum === undefined ? all : { ...all, $maxDistance: maximum }
  return createNear(operand, { limits, isSphere: operator !== '$near' })
}

function createNear(
  point: unknown,
  { limits, isSphere }: { limits: Doc; isSphere: boolean },
): NearQuery {
  const prefix = `invalid point in geo near query $geometry argument: ${showValue(point)}  `
  const { position } = refuseInvalid(prefix, () => parseGeometry(point))
  if (!position)
    throw new CommandError('BadValue', `$near requires a point, given ${showValue(point)}`)
  const isMeters = isGeoJson(point)
  const measure = isMeters || isSphere ? onSphere(position, isMeters) : inPlane(position)
  const least = toLimit('$minDistance', limits) ?? 0
  const most = toLimit('$maxDistance', limits) ?? Infinity
  return {
    kinds: isMeters ? ['2dsphere'] : isSphere ? ['2dsphere', '2d'] : ['2d'],
    distance(value) {
      const distance = measure(value)
      return distance !== undefined && distance >= least && distance <= most ? distance : undefined
    },
  }
}

function toLimit(name: string, limits: Doc): number | undefined {
  const limit = limits[name]
  if (limit === undefined) return undefined
  if (!isNumeric(limit)) throw new CommandError('BadValue', `${name} must be a number`)
  if (toNumber(limit) >= 0) return toNumber(limit)
  throw new CommandError('BadValue', `${name} must be non-negative`)
}

type Measure = (value: unknown) => number | undefined

function onSphere(position: Position, isMeters: boolean): Measure {
  if (!isOnEarth(position)) {
    throw new CommandError('Location17444', 'Legacy point is out of bounds for spherical query')
  }
  const center = toVector(position)
  return (value) => {
    const shapes = findGeometry(value)?.shapes
    if (!shapes) return undefined
    const angle = Math.min(...shapes.map((shape) => distanceTo(shape, center)))
    return isMeters ? angle * earthRadius : angle
  }
}

function inPlane(center: Position): Measure {
  return (value) => {
    const position = findGeometry(value)?.position
    return position && distanceInPlane(center, position)
  }
}

// The geo index of a path; without a path the only one there is.
export function requireGeoField(
  fields: readonly GeoField[],
  path: string,
  near: NearQuery,
): string {
  if (path === '') return requireOnlyField(fields)
  if (fields.some((field) => field.path === path && near.kinds.includes(field.kind))) return path
  throw new CommandError(
    'NoQueryExecutionPlans',
    'error processing query: planner returned error :: caused by :: unable to find index for $geoNear query',
  )
}

function requireOnlyField(fields: readonly GeoField[]): string {
  for (const kind of ['2d', '2dsphere']) {
    const [first, second] = fields.filter((field) => field.kind === kind)
    if (second) {
      throw new CommandError(
        'IndexNotFound',
        `There is more than one ${kind} index; unsure which to use for $geoNear`,
      )
    }
    if (first) return first.path
  }
  throw new CommandError(
    'IndexNotFound',
    '$geoNear requires a 2d or 2dsphere index, but none were found',
  )
}
