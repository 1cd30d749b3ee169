import { asDouble } from '../bson/arithmetic.ts'
import { type Doc, isDocument, withPath } from '../bson/document.ts'
import { metadataOf } from '../bson/metadata.ts'
import { isNumeric, toNumber } from '../bson/numeric.ts'
import { typeName } from '../bson/type-name.ts'
import { CommandError } from '../errors/command-error.ts'
import { isGeoJson } from '../geo/geometry.ts'
import { usesOperator } from '../query/uses-operator.ts'
import { type Run } from './stage.ts'

// The query that finds and sorts the documents. Without a key the path is empty: the only index.
export function toNearFilter(operand: unknown): Doc {
  const { near, key = '', query = {}, spherical, minDistance, maxDistance } = requireSpec(operand)
  if (!isDocument(query)) throw wrongType('query', 'object', query)
  if (typeof key !== 'string') throw wrongType('key', 'string', key)
  rejectNear(query)
  const operator = isGeoJson(near) || spherical === true ? '$nearSphere' : '$near'
  const limits: Doc = {
    ...(minDistance === undefined ? {} : { $minDistance: minDistance }),
    ...(maxDistance === undefined ? {} : { $maxDistance: maxDistance }),
  }
  return { $and: [query, { [key]: { [operator]: near, ...limits } }] }
}

// A stage does not sort, as $near would.
export function rejectNear(filter: unknown): void {
  if (!usesOperator(filter, ['$near', '$nearSphere'])) return
  throw new CommandError(
    'Location5626500',
    '$geoNear, $near, and $nearSphere are not allowed in this context, as these operators require ' +
      'sorting geospatial data. If you do not need sort, consider using $geoWithin instead.',
  )
}

// Adds the distance, and the place it was measured to.
export function geoNear(operand: unknown): Run {
  const { distanceField, includeLocs, distanceMultiplier = 1 } = requireSpec(operand)
  if (distanceField !== undefined && typeof distanceField !== 'string') {
    throw new CommandError(
      'Location16606',
      "$geoNear requires that the 'distanceField' option is a String",
    )
  }
  if (includeLocs !== undefined && typeof includeLocs !== 'string') {
    throw new CommandError(
      'Location16607',
      "$geoNear requires that the 'includeLocs' option is a String",
    )
  }
  if (!isNumeric(distanceMultiplier) || toNumber(distanceMultiplier) < 0) {
    throw new CommandError('BadValue', '$geoNear distanceMultiplier must be a nonnegative number')
  }
  const multiplier = toNumber(distanceMultiplier)
  return function* addDistances(input) {
    for (const doc of input) {
      const { geoNearDistance = 0, geoNearPoint } = metadataOf(doc)
      const distance = asDouble(toNumber(geoNearDistance) * multiplier)
      const measured = distanceField ? withPath(doc, distanceField.split('.'), distance) : doc
      yield includeLocs ? withPath(measured, includeLocs.split('.'), geoNearPoint) : measured
    }
  }
}

const removed = [
  ['limit', 'Location50858'],
  ['num', 'Location50857'],
  ['start', 'Location50856'],
] as const

function requireSpec(operand: unknown): Doc {
  if (!isDocument(operand)) {
    throw new CommandError('Location10065', 'invalid parameter: expected an object ($geoNear)')
  }
  for (const [name, error] of removed) {
    if (Object.hasOwn(operand, name)) {
      throw new CommandError(
        error,
        `$geoNear no longer supports the '${name}' parameter. Use a $limit stage`,
      )
    }
  }
  const { near } = operand
  if (isDocument(near) || Array.isArray(near)) return operand
  throw new CommandError(
    'Location5860400',
    "$geoNear requires a 'near' option as an Array or an Object",
  )
}

function wrongType(name: string, expected: string, value: unknown): CommandError {
  return new CommandError(
    'TypeMismatch',
    `$geoNear parameter '${name}' must be of type ${expected} but found type: ${typeName(value)}`,
  )
}
