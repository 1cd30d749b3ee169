import { type Doc, getField, isDocument } from '../bson/document.ts'
import { isNumeric, toNumber } from '../bson/numeric.ts'
import { showValue } from '../bson/show-value.ts'
import { CommandError } from '../errors/command-error.ts'
import { InvalidGeometry, parseGeometry, toPosition } from './geometry.ts'

export interface GeoField {
  path: string
  kind: '2d' | '2dsphere'
}

export function geoFieldsOf(key: Doc): GeoField[] {
  return Object.entries(key).flatMap(([path, kind]) =>
    kind === '2d' || kind === '2dsphere' ? [{ path, kind }] : [],
  )
}

// Checks the key of a geo index and completes its options.
export function parseGeoIndex(fields: readonly GeoField[], key: Doc, spec: Doc): Doc {
  const [first] = fields
  const flat = fields.find(({ kind }) => kind === '2d')
  if (flat && fields.length > 1) throw new CommandError('Location16800', "can't have 2 geo fields")
  if (flat && Object.keys(key)[0] !== flat.path) {
    throw new CommandError('Location16801', '2d has to be first in index')
  }
  if (first?.kind === '2dsphere')
    return { '2dsphereIndexVersion': spec['2dsphereIndexVersion'] ?? 3 }
  return parsePlane(spec)
}

const planeOptions = ['bits', 'min', 'max']

function parsePlane(spec: Doc): Doc {
  const options = Object.entries(spec).filter(([name]) => planeOptions.includes(name))
  for (const [name, value] of options) {
    if (!isNumeric(value))
      throw new CommandError('TypeMismatch', `The field '${name}' must be a number`)
    if (name === 'bits' && !(toNumber(value) >= 1 && toNumber(value) <= 32)) {
      throw new CommandError('CannotCreateIndex', 'bits for hash must be > 0 and <= 32')
    }
  }
  return Object.fromEntries(options)
}

// A document whose value an index cannot hold is refused; the index itself has no keys.
export function requireGeometries(fields: readonly GeoField[], doc: Doc, options: Doc): void {
  for (const { path, kind } of fields) {
    for (const value of valuesAt(doc, path.split('.'))) {
      if (kind === '2dsphere') requireOnSphere(doc, path, value)
      else requireInPlane(doc, value, options)
    }
  }
}

// Arrays along the path are followed, one at its end is a value.
function valuesAt(node: unknown, path: readonly string[]): unknown[] {
  const [name, ...rest] = path
  if (name === undefined) return [node]
  if (Array.isArray(node)) return node.flatMap((item: unknown) => valuesAt(item, path))
  return isDocument(node) ? valuesAt(getField(node, name), rest) : []
}

function requireOnSphere(doc: Doc, path: string, value: unknown): void {
  if (value === undefined || value === null) return
  const refuse = (problem: string): CommandError =>
    new CommandError('Location16755', `Can't extract geo keys: ${showValue(doc)}  ${problem}`)
  if (!isDocument(value) && !Array.isArray(value)) {
    throw refuse(`geo element must be an array or object: ${path}: ${showValue(value)}`)
  }
  try {
    if (parseGeometry(value).shapes) return
  } catch (error) {
    if (!(error instanceof InvalidGeometry)) throw error
    throw refuse(error.message)
  }
  throw refuse(`longitude/latitude is out of bounds, lng: ${toPosition(value).join(' lat: ')}`)
}

// A pair, or an array of pairs.
function requireInPlane(doc: Doc, value: unknown, { min, max }: Doc): void {
  if (!isDocument(value) && !Array.isArray(value)) return
  const items = Object.values(value)
  if (items.length === 0) return
  const pairs: unknown[] = isNumeric(items[0]) ? [value] : items
  const [least, most] = [
    isNumeric(min) ? toNumber(min) : -180,
    isNumeric(max) ? toNumber(max) : 180,
  ]
  for (const pair of pairs) {
    if (!isDocument(pair) && !Array.isArray(pair)) {
      throw new CommandError(
        'Location16804',
        'location object expected, location array not in correct format',
      )
    }
    const position = toPair(pair)
    if (position.every((one) => one >= least && one <= most)) continue
    throw new CommandError(
      'Location13027',
      `point not in interval of [ ${least}, ${most} ] :: caused by :: ${showValue(doc)}`,
    )
  }
}

function toPair(pair: unknown): readonly number[] {
  try {
    return toPosition(pair)
  } catch (error) {
    if (!(error instanceof InvalidGeometry)) throw error
    throw new CommandError(
      'Location13026',
      "geo values must be 'legacy coordinate pairs' for 2d indexes",
      {
        cause: error,
      },
    )
  }
}
