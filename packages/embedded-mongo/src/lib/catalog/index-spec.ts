import { type Doc, isDocument } from '../bson/document.ts'
import { typeName } from '../bson/type-name.ts'
import { CommandError, notImplemented } from '../errors/command-error.ts'
import { type Collation, createCollation } from '../keys/collation.ts'
import { isEqual } from '../keys/compare.ts'
import { geoFieldsOf, parseGeoIndex } from '../geo/geo-index.ts'
import { isTextKey, parseTextIndex } from '../text/parse-text-index.ts'
import { type Collection, type Index } from './collection.ts'

const flags = ['unique', 'prepareUnique', 'sparse', 'hidden']
const values = ['expireAfterSeconds', 'partialFilterExpression', 'collation']
const ignored = ['v', 'key', 'name', 'background', 'ns']
const idOptions = ['v', 'key', 'name', 'ns', 'collation']
// Kinds that MongoDB has.
const kinds = ['columnstore', 'geoHaystack', 'queryable_encrypted_range', 'wildcard']
const maxExpireSeconds = 2_147_483_647
const partialOperators = new Set([
  '$and',
  '$or',
  '$eq',
  '$in',
  '$exists',
  '$gt',
  '$gte',
  '$lt',
  '$lte',
  '$type',
])

// Checks an index description and brings its options into one form.
export function parseIndexSpec(spec: Doc): Doc {
  const { key, name } = requireKeyAndName(spec)
  checkIdIndex(key, spec)
  const special = parseSpecial(key, spec)
  checkHashed(key, spec)
  const options = parseOptions(spec, Object.keys(special?.options ?? {}))
  checkOptions(options, key)
  const collation = checkCollation(options['collation'])
  if (collation && special)
    throw new CommandError(
      'CannotCreateIndex',
      `Index type '${special.kind}' does not support collation`,
    )
  delete options['collation']
  if (collation) options['collation'] = collation.spec
  return { key: special?.key ?? key, name, ...options, ...special?.options }
}

// The option `idIndex` of `create`, which may only state what the index is without it.
export function requireIdIndex(spec: Doc, collation: Collation | undefined): void {
  const { key, name } = requireKeyAndName(spec)
  if (!isSamePattern(key, { _id: 1 })) {
    throw new CommandError(
      'BadValue',
      `The field 'key' for an _id index must be {_id: 1}, but got ${JSON.stringify(key)}`,
    )
  }
  if (name !== '_id_') {
    throw new CommandError('BadValue', `The name of an _id index must be '_id_', but got '${name}'`)
  }
  checkIdIndex(key, spec)
  const own = checkCollation(spec['collation'])
  if (spec['collation'] !== undefined && !isEqual(own?.spec, collation?.spec)) {
    throw new CommandError('BadValue', "'idIndex' must have the same collation as the collection.")
  }
}

function requireKeyAndName({ key, name }: Doc): { key: Doc; name: string } {
  if (!isDocument(key))
    throw new CommandError(
      'FailedToParse',
      "The 'key' field is a required property of an index specification",
    )
  if (typeof name !== 'string' || name === '') {
    throw new CommandError(
      'FailedToParse',
      "The 'name' field is a required property of an index specification",
    )
  }
  return { key, name }
}

// Only the options that an index can have.
export function withoutUnknownOptions(spec: Doc): Doc {
  const known = [...ignored, ...flags, ...values]
  return Object.fromEntries(
    Object.entries(spec).filter(([option]) => known.includes(option) || isForeign(option)),
  )
}

function checkIdIndex(key: Doc, spec: Doc): void {
  if (!isSamePattern(key, { _id: 1 })) return
  const other = Object.keys(spec).find((option) => !idOptions.includes(option))
  if (other === undefined) return
  throw new CommandError(
    'InvalidIndexSpecificationOption',
    `The field '${other}' is not valid for an _id index specification. Specification: ${JSON.stringify(spec)}`,
  )
}

function parseOptions(spec: Doc, known: readonly string[]): Doc {
  const options: Doc = {}
  for (const [option, value] of Object.entries(spec)) {
    if (ignored.includes(option) || known.includes(option)) continue
    if (flags.includes(option)) {
      if (isTrue(value)) options[option] = true
    } else if (values.includes(option)) options[option] = value
    else if (isForeign(option)) throw notImplemented(`index option ${option}`)
    else throw invalidOption(option)
  }
  return options
}

interface SpecialIndex {
  kind: string
  key: Doc
  options: Doc
}

function parseSpecial(key: Doc, spec: Doc): SpecialIndex | undefined {
  const special = isTextKey(key)
    ? { kind: 'text', ...parseTextIndex(key, spec) }
    : toGeoIndex(key, spec)
  if (!special) checkKey(key)
  else if (isTrue(spec['unique']) || isTrue(spec['prepareUnique'])) {
    throw new CommandError(
      'CannotCreateIndex',
      `Index type '${special.kind}' does not support the unique option`,
    )
  }
  return special
}

function toGeoIndex(key: Doc, spec: Doc): SpecialIndex | undefined {
  const fields = geoFieldsOf(key)
  const [first] = fields
  if (!first) return undefined
  checkKey({ ...key, ...Object.fromEntries(fields.map(({ path }) => [path, 1])) })
  return { kind: first.kind, key, options: parseGeoIndex(fields, key, spec) }
}

// Throws for an index that conflicts: same key with another name or options, same name with another
// key.
export function findSameIndex(collection: Collection, spec: Doc): Index | undefined {
  const { key, name, ...options } = spec
  if (!isDocument(key)) return undefined
  if (isSamePattern(key, { _id: 1 })) return collection.indexes[0]
  const named = collection.indexes.find((index) => index.name === name)
  if (named && !(isSamePattern(named.pattern, key) && hasSameMeaning(named.options, options))) {
    throw new CommandError(
      'IndexKeySpecsConflict',
      `An existing index has the same name as the requested index. Requested index: ${JSON.stringify(spec)}, existing index: ${JSON.stringify({ key: named.pattern, name, ...named.options })}`,
    )
  }
  if (named) {
    if (isEqual(sorted(named.options), sorted(options))) return named
    throw new CommandError(
      'IndexOptionsConflict',
      `An equivalent index already exists with the same name but different options. Requested index: ${JSON.stringify(spec)}`,
    )
  }
  const same = collection.indexes.find(
    (index) => isSamePattern(index.pattern, key) && hasSameMeaning(index.options, options),
  )
  if (!same) {
    requireOnlyText(collection, key)
    return undefined
  }
  if (isEqual(sorted(same.options), sorted(options))) {
    throw new CommandError(
      'IndexOptionsConflict',
      `Index already exists with a different name: ${same.name}`,
    )
  }
  throw new CommandError(
    'IndexOptionsConflict',
    `An equivalent index already exists with a different name and options. Requested index: ${JSON.stringify(spec)}, existing index: ${same.name}`,
  )
}

function requireOnlyText({ indexes }: Collection, key: Doc): void {
  const existing = isTextKey(key) ? indexes.find(({ text }) => text) : undefined
  if (!existing) return
  throw new CommandError(
    'CannotCreateIndex',
    `only one text index per collection allowed, found existing text index "${existing.name}"`,
  )
}

function checkCollation(spec: unknown): Collation | undefined {
  if (spec === undefined) return undefined
  if (isDocument(spec)) return createCollation(spec)
  throw new CommandError('TypeMismatch', "'collation' must be an object")
}

function isForeign(option: string): boolean {
  return /^(?:weights|default_language|language_override|textIndexVersion|2dsphereIndexVersion|bits|min|max|bucketSize|wildcardProjection|storageEngine|clustered)$/.test(
    option,
  )
}

function checkKey(key: Doc): void {
  const fields = Object.entries(key)
  if (fields.length === 0)
    throw new CommandError('CannotCreateIndex', 'Index keys cannot be an empty object')
  for (const [path, direction] of fields) {
    if (typeof direction === 'string' && direction !== 'hashed') {
      if (kinds.includes(direction)) throw notImplemented(`index type '${direction}'`)
      throw new CommandError('CannotCreateIndex', `Unknown index plugin '${direction}'`)
    }
    if (path.includes('$**')) throw notImplemented('index type wildcard ($**)')
    const parts = path.split('.')
    if (parts.includes(''))
      throw new CommandError(
        'CannotCreateIndex',
        `Index keys cannot contain an empty field: '${path}'`,
      )
    if (parts.some((part) => part.startsWith('$'))) {
      throw new CommandError(
        'CannotCreateIndex',
        `Index key contains an illegal field name: field name starts with '$'.`,
      )
    }
    if (direction === 'hashed') continue
    if (!['int', 'long', 'double'].includes(typeName(direction)) || !Number(direction)) {
      throw new CommandError(
        'CannotCreateIndex',
        `Values in v:2 index key pattern cannot be ${String(direction)}. Only numbers > 0, numbers < 0, and strings are allowed.`,
      )
    }
  }
}

// A hashed index is stored as an ordinary one.
function checkHashed(key: Doc, { unique }: Doc): void {
  const hashed = Object.values(key).filter((type) => type === 'hashed').length
  if (hashed > 1) {
    throw new CommandError(
      'Location31303',
      `A maximum of one index field is allowed to be hashed but found ${hashed}`,
    )
  }
  if (hashed === 1 && isTrue(unique)) {
    throw new CommandError(
      'Location16764',
      'Currently hashed indexes cannot guarantee uniqueness. Use a regular index.',
    )
  }
}

function checkOptions(spec: Doc, key: Doc): void {
  const { expireAfterSeconds, partialFilterExpression: partial, sparse } = spec
  if (partial !== undefined) {
    if (!isDocument(partial))
      throw new CommandError('TypeMismatch', "'partialFilterExpression' must be an object")
    if (sparse === true) {
      throw new CommandError(
        'CannotCreateIndex',
        'cannot mix "partialFilterExpression" and "sparse" options',
      )
    }
    checkPartial(partial)
  }
  if (expireAfterSeconds === undefined) return
  const seconds = Number(expireAfterSeconds)
  if (!(seconds >= 0 && seconds <= maxExpireSeconds)) {
    throw new CommandError(
      'CannotCreateIndex',
      `TTL index 'expireAfterSeconds' option must be within an acceptable range, try a different number than ${seconds}`,
    )
  }
  if (Object.keys(key).length > 1) {
    throw new CommandError(
      'CannotCreateIndex',
      'TTL indexes are single-field indexes, compound indexes do not support TTL',
    )
  }
}

function checkPartial(expression: unknown): void {
  if (Array.isArray(expression)) {
    for (const part of expression) checkPartial(part)
  }
  if (!isDocument(expression)) return
  for (const [name, value] of Object.entries(expression)) {
    if (name.startsWith('$') ? !isPartialOperator(name, value) : isRegex(value)) {
      throw new CommandError(
        'CannotCreateIndex',
        `Expression not supported in partial index: ${name}`,
      )
    }
    if (name !== '$eq' && name !== '$in') checkPartial(value)
  }
}

function isPartialOperator(name: string, value: unknown): boolean {
  return partialOperators.has(name) && (name !== '$exists' || isTrue(value))
}

function isRegex(value: unknown): boolean {
  return typeName(value) === 'regex'
}

function hasSameMeaning(a: Doc, b: Doc): boolean {
  return isEqual(meaningOf(a), meaningOf(b))
}

// Two indexes on one key may differ in these.
function meaningOf({ partialFilterExpression, collation, unique, sparse }: Doc): Doc {
  return { partialFilterExpression, collation, unique, sparse }
}

export function isSamePattern(a: Doc, b: Doc): boolean {
  return Object.keys(a).join('\0') === Object.keys(b).join('\0') && isEqual(a, b)
}

function sorted(doc: Doc): Doc {
  return Object.fromEntries(Object.entries(doc).toSorted(([a], [b]) => (a < b ? -1 : 1)))
}

function isTrue(value: unknown): boolean {
  return value === true || (typeof value === 'number' && value !== 0) || Number(value) > 0
}

function invalidOption(option: string): CommandError {
  return new CommandError(
    'InvalidIndexSpecificationOption',
    `The field '${option}' is not valid for an index specification.`,
  )
}
