import { type Doc, isDocument, lookUp } from '../bson/document.ts'
import { isNumeric, toNumber } from '../bson/numeric.ts'
import { showValue } from '../bson/show-value.ts'
import { typeName } from '../bson/type-name.ts'
import { notImplemented } from '../errors/command-error.ts'
import { checkPolygon } from './check-polygon.ts'
import { createLine, createPoint, createPolygon, type Shape, toVector } from './sphere.ts'

// Longitude and latitude, or any pair of numbers in the plane.
export type Position = readonly [x: number, y: number]

export interface Geometry {
  // Of a single point, which the plane has too.
  position: Position | undefined
  // Undefined when the point lies outside the ranges of longitude and latitude.
  shapes: readonly Shape[] | undefined
  polygons: readonly Shape[]
}

// Why a value is not a geometry.
export class InvalidGeometry extends Error {}

// GeoJSON, or a legacy pair of coordinates: an array or a document of two numbers.
export function parseGeometry(value: unknown): Geometry {
  if (isDocument(value) && typeof value['type'] === 'string') return parseGeoJson(value)
  const position = toPosition(value)
  const shapes = isOnEarth(position) ? [createPoint(toVector(position))] : undefined
  return { position, shapes, polygons: [] }
}

// Whether the value is GeoJSON rather than a legacy pair.
export function isGeoJson(value: unknown): value is Doc {
  return isDocument(value) && 'type' in value && 'coordinates' in value
}

export function findGeometry(value: unknown): Geometry | undefined {
  if (!isDocument(value) && !Array.isArray(value)) return undefined
  try {
    return parseGeometry(value)
  } catch (error) {
    if (error instanceof InvalidGeometry) return undefined
    throw error
  }
}

type Parser = (coordinates: unknown) => Pick<Geometry, 'polygons'> & { shapes: readonly Shape[] }

const parsers: Readonly<Record<string, Parser>> = {
  Point: (coordinates) => ({ shapes: [toPoint(coordinates)], polygons: [] }),
  MultiPoint: (coordinates) => ({
    shapes: requireList('MultiPoint', coordinates).map((item) => toPoint(item)),
    polygons: [],
  }),
  LineString: (coordinates) => ({ shapes: [toLine(coordinates)], polygons: [] }),
  MultiLineString: (coordinates) => ({
    shapes: requireList('MultiLineString', coordinates).map((item) => toLine(item)),
    polygons: [],
  }),
  Polygon: (coordinates) => toAreas([toPolygon(coordinates)]),
  MultiPolygon: (coordinates) =>
    toAreas(requireList('MultiPolygon', coordinates).map((item) => toPolygon(item))),
}

function toAreas(polygons: readonly Shape[]): ReturnType<Parser> {
  return { shapes: polygons, polygons }
}

function parseGeoJson(value: Doc): Geometry {
  requireKnownCrs(value['crs'])
  const type = String(value['type'])
  if (type === 'GeometryCollection') return parseCollection(value['geometries'])
  const parser = lookUp(parsers, type)
  if (!parser) throw new InvalidGeometry(`unknown GeoJSON type: ${showValue(value)}`)
  const { coordinates } = value
  const position = type === 'Point' ? toPosition(coordinates) : undefined
  return { position, ...parser(coordinates) }
}

function parseCollection(geometries: unknown): Geometry {
  if (!Array.isArray(geometries) || geometries.length === 0) {
    throw new InvalidGeometry('GeometryCollection geometries must be a nonempty array')
  }
  const parts = geometries.map((item: unknown) => {
    if (isDocument(item)) return parseGeoJson(item)
    throw new InvalidGeometry('Element of "geometries" is not an object')
  })
  return {
    position: undefined,
    shapes: parts.flatMap(({ shapes = [] }) => shapes),
    polygons: parts.flatMap(({ polygons }) => polygons),
  }
}

const sphereNames = new Set(['urn:ogc:def:crs:OGC:1.3:CRS84', 'EPSG:4326'])
const strictName = 'urn:x-mongodb:crs:strictwinding:EPSG:4326'

function requireKnownCrs(crs: unknown): void {
  if (crs === undefined) return
  const properties = isDocument(crs) ? crs['properties'] : undefined
  const name = isDocument(properties) ? properties['name'] : undefined
  if (name === strictName) throw notImplemented('the CRS strictwinding')
  if (typeof name !== 'string')
    throw new InvalidGeometry('GeoJSON CRS must be an object with a name')
  if (!sphereNames.has(name)) throw new InvalidGeometry(`Unknown CRS name: ${name}`)
}

export function toPosition(value: unknown): Position {
  const [x, y]: unknown[] = isDocument(value) ? Object.values(value) : toArray(value)
  return [toFinite(x), toFinite(y)]
}

function toFinite(value: unknown): number {
  if (!isNumeric(value)) {
    throw new InvalidGeometry(
      `Point must only contain numeric elements, instead got type ${nameOf(value)}`,
    )
  }
  const number = toNumber(value)
  if (Number.isFinite(number)) return number
  throw new InvalidGeometry('Point coordinates must be finite numbers')
}

function toArray(value: unknown): unknown[] {
  if (Array.isArray(value)) return value
  throw new InvalidGeometry(`Point must be an array or object, instead got type ${nameOf(value)}`)
}

function nameOf(value: unknown): string {
  return value === undefined ? 'missing' : typeName(value)
}

export function isOnEarth([longitude, latitude]: Position): boolean {
  return Math.abs(longitude) <= 180 && Math.abs(latitude) <= 90
}

function toEarth(value: unknown): Position {
  const position = toPosition(value)
  if (isOnEarth(position)) return position
  throw new InvalidGeometry(
    `longitude/latitude is out of bounds, lng: ${position[0]} lat: ${position[1]}`,
  )
}

function toPoint(coordinates: unknown): Shape {
  return createPoint(toVector(toEarth(coordinates)))
}

function toLine(coordinates: unknown): Shape {
  const positions = withoutRepeats(
    requireList('LineString', coordinates).map((item) => toEarth(item)),
  )
  if (positions.length < 2) {
    throw new InvalidGeometry(
      `GeoJSON LineString must have at least 2 vertices: ${showValue(coordinates)}`,
    )
  }
  return createLine(positions.map((position) => toVector(position)))
}

function toPolygon(coordinates: unknown): Shape {
  if (!Array.isArray(coordinates)) throw new InvalidGeometry('Polygon coordinates must be an array')
  if (coordinates.length === 0) throw new InvalidGeometry('Polygon has no loops.')
  const rings = coordinates.map((ring: unknown) =>
    toRing(ring).map((position) => toVector(position)),
  )
  const polygon = createPolygon(rings)
  const problem = checkPolygon(rings)
  if (problem !== undefined) throw new InvalidGeometry(`${problem}: ${showValue(coordinates)}`)
  return polygon
}

function toRing(coordinates: unknown): Position[] {
  const positions = requireList('Polygon', coordinates).map((item) => toEarth(item))
  const [first] = positions
  if (!first || !isSame(first, positions.at(-1))) {
    throw new InvalidGeometry(
      `Loop is not closed, first vertex does not equal last vertex: ${showValue(coordinates)}`,
    )
  }
  const ring = withoutRepeats(positions).slice(0, -1)
  if (ring.length >= 3) return ring
  throw new InvalidGeometry(
    `Loop must have at least 3 different vertices, ${ring.length} unique vertices were provided: ${showValue(coordinates)}`,
  )
}

function withoutRepeats(positions: readonly Position[]): Position[] {
  return positions.filter((position, i) => i === 0 || !isSame(position, positions[i - 1]))
}

function isSame(a: Position, b: Position | undefined): boolean {
  return a[0] === b?.[0] && a[1] === b[1]
}

function requireList(type: string, coordinates: unknown): unknown[] {
  if (Array.isArray(coordinates) && coordinates.length > 0) return coordinates
  throw new InvalidGeometry(`${type} coordinates must be a nonempty array`)
}
