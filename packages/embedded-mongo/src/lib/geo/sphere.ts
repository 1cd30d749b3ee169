import { CommandError, notImplemented } from '../errors/command-error.ts'

// A point on the unit sphere.
export type Vector = readonly [x: number, y: number, z: number]

// In meters, as MongoDB has it.
export const earthRadius = 6_378_100

// Points closer than this (6 mm on the earth) touch: MongoDB's indexes have the same precision.
const touching = 1e-9

// A point, a line or a polygon on the sphere. Edges are the shortest arcs between two vertices.
export interface Shape {
  vertices: readonly Vector[]
  edges: readonly Edge[]
  contains(point: Vector): boolean
  // A vertex of each hole of a polygon.
  holes: readonly Vector[]
}

type Edge = readonly [Vector, Vector]

export function toVector([longitude, latitude]: readonly [number, number]): Vector {
  const [lambda, phi] = [(longitude * Math.PI) / 180, (latitude * Math.PI) / 180]
  return [Math.cos(phi) * Math.cos(lambda), Math.cos(phi) * Math.sin(lambda), Math.sin(phi)]
}

// In radians; exact for small angles too.
export function angleBetween(a: Vector, b: Vector): number {
  return Math.atan2(lengthOf(cross(a, b)), dot(a, b))
}

export function createPoint(point: Vector): Shape {
  const contains = (other: Vector): boolean => angleBetween(point, other) <= touching
  return { vertices: [point], edges: [], contains, holes: [] }
}

export function createLine(vertices: readonly Vector[]): Shape {
  const edges = vertices.slice(1).map((to, i): Edge => [vertices[i] ?? to, to])
  return { vertices, edges, contains: (point) => isOn(edges, point), holes: [] }
}

// The first ring is the shell, the others are holes; none repeats its first vertex at the end.
export function createPolygon(rings: readonly (readonly Vector[])[]): Shape {
  const edges = rings.flatMap((ring) => edgesOf(ring))
  const [isInShell, ...areInHoles] = rings.map((ring) => createRing(ring))
  return {
    vertices: rings.flat(),
    edges,
    holes: rings.slice(1).flatMap((ring) => ring.slice(0, 1)),
    contains: (point) =>
      isOn(edges, point) ||
      (isInShell?.(point) === true && !areInHoles.some((isInHole) => isInHole(point))),
  }
}

export function edgesOf(ring: readonly Vector[]): Edge[] {
  return ring.map((from, i) => [from, ring[(i + 1) % ring.length] ?? from])
}

// The smaller of the two areas that a ring bounds. Seen from its center, arcs are straight lines
// (gnomonic projection), so this is a point in a polygon of the plane.
function createRing(ring: readonly Vector[]): (point: Vector) => boolean {
  const center = normalize(ring.reduce(add))
  const east = normalize(cross(Math.abs(center[2]) < 0.9 ? [0, 0, 1] : [1, 0, 0], center))
  const north = cross(center, east)
  const project = (point: Vector): readonly [number, number] => {
    const height = dot(point, center)
    return [dot(point, east) / height, dot(point, north) / height]
  }
  if (!ring.every((vertex) => dot(vertex, center) > touching)) {
    throw notImplemented('a polygon that does not fit into a hemisphere')
  }
  const corners = ring.map((vertex) => project(vertex))
  return (point) => dot(point, center) > touching && isInRing(corners, project(point))
}

// By the number of edges to the right of the point.
export function isInRing(
  corners: readonly (readonly [number, number])[],
  [x, y]: readonly [number, number],
): boolean {
  let isInside = false
  for (const [i, [x1, y1]] of corners.entries()) {
    const [x2, y2] = corners[(i + 1) % corners.length] ?? [x1, y1]
    if (y1 > y !== y2 > y && x < ((x2 - x1) * (y - y1)) / (y2 - y1) + x1) isInside = !isInside
  }
  return isInside
}

export function intersects(a: Shape, b: Shape): boolean {
  return (
    a.vertices.some((vertex) => b.contains(vertex)) ||
    b.vertices.some((vertex) => a.contains(vertex)) ||
    haveCrossing(a.edges, b.edges)
  )
}

// Whether a polygon contains all of another shape.
export function covers(polygon: Shape, shape: Shape): boolean {
  return (
    shape.vertices.every((vertex) => polygon.contains(vertex)) &&
    shape.edges.every(([from, to]) => polygon.contains(normalize(add(from, to)))) &&
    !haveCrossing(polygon.edges, shape.edges) &&
    !polygon.holes.some((vertex) => shape.contains(vertex) && !isOn(shape.edges, vertex))
  )
}

// In radians; 0 within a polygon.
export function distanceTo(shape: Shape, point: Vector): number {
  const ends = shape.vertices.map((vertex) => angleBetween(vertex, point))
  if (shape.edges.length === 0) return Math.min(...ends)
  if (shape.contains(point)) return 0
  return Math.min(...ends, ...shape.edges.map((edge) => distanceToEdge(edge, point)))
}

// Infinity unless the closest point lies between the ends.
function distanceToEdge([from, to]: Edge, point: Vector): number {
  const normal = cross(from, to)
  const length = lengthOf(normal)
  if (length === 0) return Infinity
  const isBeside = dot(cross(normal, from), point) >= 0 && dot(cross(to, normal), point) >= 0
  return isBeside
    ? Math.abs(Math.asin(Math.min(1, Math.max(-1, dot(normal, point) / length))))
    : Infinity
}

function isOn(edges: readonly Edge[], point: Vector): boolean {
  return edges.some(
    (edge) =>
      angleBetween(edge[0], point) <= touching ||
      angleBetween(edge[1], point) <= touching ||
      distanceToEdge(edge, point) <= touching,
  )
}

function haveCrossing(a: readonly Edge[], b: readonly Edge[]): boolean {
  return a.some((one) => b.some((other) => isCrossing(one, other)))
}

// Whether two arcs cross at a point within both; those that only touch do not.
export function isCrossing([a, b]: Edge, [c, d]: Edge): boolean {
  const ab = cross(a, b)
  const cd = cross(c, d)
  const [abc, abd, cda, cdb] = [sideOf(ab, c), sideOf(ab, d), sideOf(cd, a), sideOf(cd, b)]
  return abc * abd < 0 && abc * cdb > 0 && abc * cda < 0
}

// How far a point lies to the left of an arc; 0 on it.
function sideOf(normal: Vector, point: Vector): number {
  const distance = dot(normal, point) / lengthOf(normal)
  return Math.abs(distance) > touching ? distance : 0
}

function dot(a: Vector, b: Vector): number {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

function cross(a: Vector, b: Vector): Vector {
  return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

function add(a: Vector, b: Vector): Vector {
  return [a[0] + b[0], a[1] + b[1], a[2] + b[2]]
}

function lengthOf(a: Vector): number {
  return Math.sqrt(dot(a, a))
}

function normalize(a: Vector): Vector {
  const length = lengthOf(a)
  if (length === 0) throw new CommandError('BadValue', 'the points have no middle on the sphere')
  return [a[0] / length, a[1] / length, a[2] / length]
}
