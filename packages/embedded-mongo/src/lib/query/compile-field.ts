import { BSONRegExp } from 'bson'
import { isTrue } from '../expressions/operator.ts'
import { type Doc, isDocument, lookUp } from '../bson/document.ts'
import { CommandError, notImplemented } from '../errors/command-error.ts'
import { type NearQuery, parseNear } from '../geo/near.ts'
import { intersecting, within } from '../geo/region.ts'
import { type Collation } from '../keys/collation.ts'
import { equals, inRange, isOneOf, matchesRegExp, rejectRegExp } from './comparison.ts'
import { hasBits, hasRemainder, hasSize, hasType } from './element-tests.ts'
import { matchNear } from './match-near.ts'
import { type HitRecorder, matchPath, type Predicate, type ValueTest } from './match-path.ts'
import { isRegExp, requireFlags } from '../bson/regex.ts'

interface FieldContext {
  collation: Collation | undefined
  hits: HitRecorder
  // Compiles a nested filter, for $elemMatch.
  compileDocument(filter: Doc): Predicate
  // Announces a condition that also sorts, where one is allowed; returns the path of its index.
  useNear(path: string, near: NearQuery): string
}

// A condition of one field, before it is bound to a path (or to the elements of an array).
type Condition =
  | { kind: 'test'; test: ValueTest; whole?: boolean }
  | { kind: 'near'; near: NearQuery }
  | { kind: 'all' | 'not'; conditions: Condition[] }

export function compileField(path: string, operand: unknown, context: FieldContext): Predicate {
  return bind(parseOperand(operand, context), path, context)
}

// Operators such as `{ $gt: 1 }`; a DBRef is a value.
export function isOperatorDocument(value: unknown): value is Doc {
  if (!isDocument(value)) return false
  const [first = ''] = Object.keys(value)
  return first.startsWith('$') && !isDbRefField(first)
}

export function isDbRefField(name: string): boolean {
  return name === '$ref' || name === '$id' || name === '$db'
}

function parseOperand(operand: unknown, context: FieldContext): Condition {
  if (isRegExp(operand)) return { kind: 'test', test: matchesRegExp(operand) }
  if (!isOperatorDocument(operand)) {
    return { kind: 'test', test: equals(operand, context.collation) }
  }
  const conditions = Object.keys(operand).map((name) => parseOperator(name, operand, context))
  const [first] = conditions
  return conditions.length === 1 && first ? first : { kind: 'all', conditions }
}

type Parser = (operand: unknown, context: FieldContext, all: Doc) => Condition

const test = (valueTest: ValueTest, whole = false): Condition => ({
  kind: 'test',
  test: valueTest,
  whole,
})

const not = (condition: Condition): Condition => ({ kind: 'not', conditions: [condition] })

const parsers: Readonly<Record<string, Parser>> = {
  $eq: (operand, { collation }) => test(equals(operand, collation)),
  $ne: (operand, { collation }) => {
    rejectRegExp(operand, "Can't have regex as arg to $ne.")
    return not(test(equals(operand, collation)))
  },
  $in: (operand, context) => parseIn('$in', operand, context),
  $nin: (operand, context) => not(parseIn('$nin', operand, context)),
  $exists: (operand) => {
    const exists = test((value) => value !== undefined)
    return isTrue(operand) ? exists : not(exists)
  },
  $type: (operand) => test(hasType(operand)),
  $size: (operand) => test(hasSize(operand), true),
  $mod: (operand) => test(hasRemainder(operand)),
  $regex: parseRegex,
  $options: (_operand, _context, all) => {
    if (all['$regex'] === undefined) throw new CommandError('BadValue', '$options needs a $regex')
    return test(() => true)
  },
  $not: parseNot,
  $all: parseAll,
  $elemMatch: parseElemMatch,
  $comment: () => ({ kind: 'all', conditions: [] }),
  $geoWithin: (operand) => test(within(operand)),
  $within: (operand) => test(within(operand)),
  $geoIntersects: (operand) => test(intersecting(operand)),
}

for (const name of ['$gt', '$gte', '$lt', '$lte']) {
  Object.assign(parsers, {
    [name]: (operand: unknown, { collation }: FieldContext) => {
      rejectRegExp(operand, "Can't have RegEx as arg to predicate over field.")
      return test(inRange(name, operand, collation))
    },
  })
}

for (const name of ['$bitsAllSet', '$bitsAllClear', '$bitsAnySet', '$bitsAnyClear']) {
  Object.assign(parsers, { [name]: (operand: unknown) => test(hasBits(name, operand)) })
}

for (const name of ['$near', '$nearSphere']) {
  Object.assign(parsers, {
    [name]: (operand: unknown, _context: FieldContext, all: Doc): Condition => ({
      kind: 'near',
      near: parseNear(name, operand, all),
    }),
  })
}

// Limits of a $near beside them.
for (const name of ['$minDistance', '$maxDistance']) {
  Object.assign(parsers, {
    [name]: (_operand: unknown, _context: FieldContext, all: Doc): Condition => {
      if ('$near' in all || '$nearSphere' in all) return { kind: 'all', conditions: [] }
      throw new CommandError('BadValue', `unknown operator: ${name}`)
    },
  })
}

const unsupported = new Set(['$geoNear', '$where'])

function parseOperator(name: string, all: Doc, context: FieldContext): Condition {
  const parser = lookUp(parsers, name)
  if (parser !== undefined) return parser(all[name], context, all)
  if (unsupported.has(name)) throw notImplemented(name)
  throw new CommandError('BadValue', `unknown operator: ${name}`)
}

function parseIn(name: string, operand: unknown, { collation }: FieldContext): Condition {
  if (!Array.isArray(operand)) throw new CommandError('BadValue', `${name} needs an array`)
  if (operand.some((item) => isOperatorDocument(item))) {
    throw new CommandError('BadValue', 'cannot nest $ under $in')
  }
  return test(isOneOf(operand, collation))
}

function parseRegex(operand: unknown, _context: FieldContext, all: Doc): Condition {
  const options = all['$options'] ?? (isRegExp(operand) ? operand.options : '')
  const pattern = isRegExp(operand) ? operand.pattern : operand
  if (typeof pattern !== 'string') throw new CommandError('BadValue', '$regex has to be a string')
  if (typeof options !== 'string') throw new CommandError('BadValue', '$options has to be a string')
  if (isRegExp(operand) && operand.options !== '' && all['$options'] !== undefined) {
    throw new CommandError('Location51075', 'options set in both $regex and $options')
  }
  requireFlags(options)
  return test(matchesRegExp(new BSONRegExp(pattern, options)))
}

function parseNot(operand: unknown, context: FieldContext): Condition {
  if (isRegExp(operand)) return not(test(matchesRegExp(operand)))
  if (!isDocument(operand)) throw new CommandError('BadValue', '$not needs a regex or a document')
  if (Object.keys(operand).length === 0) throw new CommandError('BadValue', '$not cannot be empty')
  const conditions = Object.keys(operand).map((name) => parseOperator(name, operand, context))
  if (conditions.some(({ kind }) => kind === 'near')) {
    throw new CommandError('BadValue', 'geoNear must be top-level expr')
  }
  return { kind: 'not', conditions }
}

function parseAll(operand: unknown, context: FieldContext): Condition {
  if (!Array.isArray(operand)) throw new CommandError('BadValue', '$all needs an array')
  if (operand.length === 0) return test(() => false)
  const conditions = operand.map((item: unknown): Condition => {
    if (isDocument(item) && '$elemMatch' in item) {
      return parseElemMatch(item['$elemMatch'], context)
    }
    if (isOperatorDocument(item)) throw new CommandError('BadValue', 'no $ expressions in $all')
    return test(isRegExp(item) ? matchesRegExp(item) : equals(item, context.collation))
  })
  return { kind: 'all', conditions }
}

// Conditions of one value, as opposed to a filter, which starts with a field or $or.
export function isFieldOperators(value: unknown): value is Doc {
  return isOperatorDocument(value) && !logicalNames.has(Object.keys(value)[0] ?? '')
}

const logicalNames: ReadonlySet<string> = new Set([
  '$and',
  '$or',
  '$nor',
  '$where',
  '$expr',
  '$jsonSchema',
])

function parseElemMatch(operand: unknown, context: FieldContext): Condition {
  if (!isDocument(operand)) throw new CommandError('BadValue', '$elemMatch needs an Object')
  const matches = isFieldOperators(operand)
    ? single(parseOperand(operand, context))
    : matchesDocument(context.compileDocument(operand))
  return test(
    (value) =>
      Array.isArray(value) &&
      value.some((item: unknown, i) => context.hits.element(i, () => matches(item))),
    true,
  )
}

// An array inside the array counts as a document whose fields are its positions.
function matchesDocument(predicate: Predicate): ValueTest {
  return (item) => {
    if (isDocument(item)) return predicate(item)
    return Array.isArray(item) && predicate(Object.fromEntries(item.entries()))
  }
}

function bind(condition: Condition, path: string, context: FieldContext): Predicate {
  const { hits } = context
  if (condition.kind === 'test') {
    return matchPath(path, condition.test, condition.whole === true, hits)
  }
  if (condition.kind === 'near') {
    return matchNear(context.useNear(path, condition.near), condition.near)
  }
  const predicates = condition.conditions.map((inner) => bind(inner, path, context))
  const every: Predicate = (doc) => predicates.every((predicate) => predicate(doc))
  return condition.kind === 'all'
    ? (doc) => hits.group(false, () => every(doc))
    : (doc) => !hits.group(true, () => every(doc))
}

function single(condition: Condition): ValueTest {
  if (condition.kind === 'test') return condition.test
  if (condition.kind === 'near')
    throw new CommandError('BadValue', 'geoNear must be top-level expr')
  const tests = condition.conditions.map((inner) => single(inner))
  const isNot = condition.kind === 'not'
  return (value) => tests.every((valueTest) => valueTest(value)) !== isNot
}
