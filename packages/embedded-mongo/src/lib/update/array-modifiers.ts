import { type Doc, isDocument } from '../bson/document.ts'
import { isNumeric, toNumber } from '../bson/numeric.ts'
import { showValue } from '../bson/show-value.ts'
import { typeName } from '../bson/type-name.ts'
import { CommandError } from '../errors/command-error.ts'
import { type Collation } from '../keys/collation.ts'
import { isEqual, isIdentical } from '../keys/compare.ts'
import { createElementSort } from '../keys/sort.ts'
import { isRegExp } from '../bson/regex.ts'
import { isFieldOperators } from '../query/compile-field.ts'
import { compileFilter } from '../query/compile-filter.ts'
import { type ValueTest } from '../query/match-path.ts'
import { type ModifierContext, type ModifierFactory } from './field-modifiers.ts'
import { type Modifier } from './update-path.ts'

export const arrayModifiers: Readonly<Record<string, ModifierFactory>> = {
  $push: push,
  $addToSet: addToSet,
  $pull: (operand, _path, context) => remove(toPullTest(operand, context)),
  $pullAll: (operand, _path, { collation }) => {
    if (!Array.isArray(operand)) {
      throw new CommandError(
        'BadValue',
        `$pullAll requires an array argument but was given a ${typeName(operand)}`,
      )
    }
    return remove((item) => operand.some((pulled) => isEqual(item, pulled, collation)))
  },
  $pop: pop,
}

type Transform = (array: unknown[]) => unknown[]

function push(operand: unknown, _path: string, { collation }: ModifierContext): Modifier {
  const clauses = isDocument(operand) && '$each' in operand ? operand : { $each: [operand] }
  const transform = toPush(clauses, collation)
  return {
    creates: true,
    modify: (value, { doc, path }) => {
      if (value === undefined) return transform([])
      if (Array.isArray(value)) {
        const result = transform(value)
        return isIdentical(result, value) ? value : result
      }
      throw new CommandError(
        'BadValue',
        `The field '${path}' must be an array but is of type ${typeName(value)} in document {_id: ${showValue(doc['_id'])}}`,
      )
    },
  }
}

function toPush(clauses: Doc, collation: Collation | undefined): Transform {
  const unknown = Object.keys(clauses).find((name) => !pushClauses.has(name))
  if (unknown !== undefined)
    throw new CommandError('BadValue', `Unrecognized clause in $push: ${unknown}`)
  const each = requireEach('$push', clauses['$each'])
  const position = toClauseInteger('$position', clauses['$position'])
  const slice = toClauseInteger('$slice', clauses['$slice'])
  const sort = clauses['$sort'] === undefined ? undefined : toSort(clauses['$sort'], collation)
  return (array) => {
    const joined = position === undefined ? [...array, ...each] : insertAt(array, each, position)
    const sorted = sort === undefined ? joined : sort(joined)
    return slice === undefined ? sorted : cut(sorted, slice)
  }
}

const pushClauses = new Set(['$each', '$slice', '$sort', '$position'])

function requireEach(name: string, each: unknown): unknown[] {
  if (Array.isArray(each)) return each
  throw new CommandError(
    'BadValue',
    `The argument to $each in ${name} must be an array but it was of type: ${typeName(each)}`,
  )
}

function toClauseInteger(name: string, value: unknown): number | undefined {
  if (value === undefined) return undefined
  const number = isNumeric(value) ? toNumber(value) : NaN
  if (Number.isInteger(number)) return number
  throw new CommandError(
    'BadValue',
    `The value for ${name} must be an integer value but was given type: ${typeName(value)}`,
  )
}

function insertAt(array: unknown[], each: unknown[], position: number): unknown[] {
  const copy = array.slice()
  copy.splice(position, 0, ...each)
  return copy
}

function cut(array: unknown[], slice: number): unknown[] {
  return slice < 0 ? array.slice(slice) : array.slice(0, slice)
}

function toSort(pattern: unknown, collation: Collation | undefined): Transform {
  if (isDocument(pattern) && Object.keys(pattern).length === 0) {
    throw new CommandError(
      'BadValue',
      'The $sort pattern is empty when it should be a set of fields.',
    )
  }
  const sort = createElementSort(pattern, collation)
  if (sort) return sort
  throw new CommandError('BadValue', 'The $sort element value must be either 1 or -1')
}

function addToSet(operand: unknown, _path: string, { collation }: ModifierContext): Modifier {
  const hasEach = isDocument(operand) && Object.keys(operand)[0] === '$each'
  const each = hasEach ? requireEach('$addToSet', operand['$each']) : [operand]
  return {
    creates: true,
    modify: (value, { path }) => {
      const array = value ?? []
      if (value === null || !Array.isArray(array)) {
        throw new CommandError(
          'BadValue',
          `Cannot apply $addToSet to non-array field. Field named '${path}' has non-array type ${typeName(value)}`,
        )
      }
      const result: unknown[] = array.slice()
      for (const item of each) {
        if (!result.some((known) => isEqual(known, item, collation))) result.push(item)
      }
      return value !== undefined && result.length === array.length ? value : result
    },
  }
}

function toPullTest(operand: unknown, { collation }: ModifierContext): ValueTest {
  if (isDocument(operand) && !isFieldOperators(operand)) {
    const filter = compileFilter(operand, { collation })
    return (item) => isDocument(item) && filter(item)
  }
  if (!isDocument(operand) && !isRegExp(operand)) return (item) => isEqual(item, operand, collation)
  const filter = compileFilter({ item: operand }, { collation })
  return (item) => filter({ item })
}

function remove(isMatch: ValueTest): Modifier {
  return {
    creates: false,
    modify: (value) => {
      if (!Array.isArray(value))
        throw new CommandError('BadValue', 'Cannot apply $pull to a non-array value')
      const rest = value.filter((item) => !isMatch(item))
      return rest.length === value.length ? value : rest
    },
  }
}

function pop(operand: unknown): Modifier {
  const end = isNumeric(operand) ? toNumber(operand) : NaN
  if (Math.abs(end) !== 1) {
    throw new CommandError('FailedToParse', `$pop expects 1 or -1, found: ${showValue(operand)}`)
  }
  return {
    creates: false,
    modify: (value, { path }) => {
      if (!Array.isArray(value)) {
        throw new CommandError(
          'TypeMismatch',
          `Path '${path}' contains an element of non-array type '${typeName(value)}'`,
        )
      }
      if (value.length === 0) return value
      return end === 1 ? value.slice(0, -1) : value.slice(1)
    },
  }
}
