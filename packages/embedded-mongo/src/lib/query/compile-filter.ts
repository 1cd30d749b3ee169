import { compileExpression, createCommandScope } from '../expressions/compile-expression.ts'
import { isTrue } from '../expressions/operator.ts'
import { type Scope } from '../expressions/scope.ts'
import { type Doc, isDocument, lookUp } from '../bson/document.ts'
import { CommandError, notImplemented } from '../errors/command-error.ts'
import { type Collation } from '../keys/collation.ts'
import { compileField, isDbRefField } from './compile-field.ts'
import { compileJsonSchema } from './json-schema.ts'
import { asDouble } from '../bson/arithmetic.ts'
import { addMetadata } from '../bson/metadata.ts'
import { type TextIndex } from '../text/text-index.ts'
import { parseTextQuery, type TextQuery } from '../text/text-query.ts'
import { type GeoField } from '../geo/geo-index.ts'
import { type NearQuery, requireGeoField } from '../geo/near.ts'
import { addFilterFields } from './filter-fields.ts'
import { FieldSet } from '../keys/field-set.ts'
import { HitRecorder, type Predicate } from './match-path.ts'

export interface FilterOptions {
  collation?: Collation | undefined
  variables?: Doc | undefined
  now?: Date | undefined
  // A scope for $expr, instead of variables and time.
  scope?: Scope | undefined
  // Where the filter starts a query, for $text and $near.
  source?: FilterSource | undefined
}

// The collection a query reads.
export interface FilterSource {
  text?: TextIndex | undefined
  geo?: readonly GeoField[] | undefined
}

// An expression's scope replaces variables and time.
interface InnerOptions {
  collation: Collation | undefined
  hits: HitRecorder
  getScope: () => Scope
  source: FilterSource | undefined
  found: Found
  // Inside $or, $nor and $elemMatch.
  isNested?: boolean
  // Inside $elemMatch.
  isElement?: boolean
}

// What a filter asks of the planner.
interface Found {
  text?: TextQuery
  near?: NearQuery
}

export interface Filter extends Predicate {
  // The array element that a positional update or projection refers to.
  hit(doc: Doc): number | undefined
  // The query of $text.
  text: TextQuery | undefined
  // $near: results are sorted by distance.
  isNear: boolean
  // The top-level fields that it reads; undefined for all.
  fields: ReadonlySet<string> | undefined
}

export function compileFilter(filter: Doc, options: FilterOptions = {}): Filter {
  let { scope } = options
  // Few filters need a scope.
  const getScope = () => (scope ??= createCommandScope(options))
  const collation = options.collation ?? scope?.collation
  const hits = new HitRecorder()
  const found: Found = {}
  const predicate = compile(filter, { collation, hits, getScope, source: options.source, found })
  return Object.assign((doc: Doc) => predicate(doc), {
    hit: (doc: Doc) => hits.find(() => predicate(doc)),
    text: found.text,
    isNear: found.near !== undefined,
    fields: fieldsOf(filter, found),
  })
}

// Documents that carry metadata are decoded once.
function fieldsOf(filter: Doc, { text, near }: Found): ReadonlySet<string> | undefined {
  const fields = new FieldSet()
  addFilterFields(filter, fields)
  return text || near ? undefined : fields.names
}

function compile(filter: Doc, options: InnerOptions): Predicate {
  const predicates: Predicate[] = []
  for (const name of Object.keys(filter)) {
    const operand = filter[name]
    if (!name.startsWith('$')) predicates.push(compileField(name, operand, toContext(options)))
    // The fields of a DBRef are names, which hold values and no operators.
    else if (isDbRefField(name))
      predicates.push(compileField(name, { $eq: operand }, toContext(options)))
    else predicates.push(compileTopLevel(name, operand, options))
  }
  return all(predicates, options.hits)
}

function toContext(options: InnerOptions): Parameters<typeof compileField>[2] {
  return {
    collation: options.collation,
    hits: options.hits,
    compileDocument: (filter) => compile(filter, { ...options, isNested: true, isElement: true }),
    useNear: (path, near) => useNear(path, near, options),
  }
}

function useNear(path: string, near: NearQuery, options: InnerOptions): string {
  const { source, found, isNested } = options
  if (!source) throw new CommandError('BadValue', '$near is not allowed in this context')
  if (isNested) throw new CommandError('BadValue', 'geoNear must be top-level expr')
  if (found.near) throw new CommandError('BadValue', 'Too many geoNear expressions')
  found.near = near
  return requireGeoField(source.geo ?? [], path, near)
}

function all(predicates: readonly Predicate[], hits: HitRecorder): Predicate {
  const [first, second] = predicates
  if (first === undefined) return () => true
  if (second === undefined) return first
  return (doc) => hits.group(false, () => predicates.every((predicate) => predicate(doc)))
}

type Logical = (predicates: readonly Predicate[], hits: HitRecorder) => Predicate

const logical: Readonly<Record<string, Logical>> = {
  $and: all,
  $or: (predicates) => (doc) => predicates.some((predicate) => predicate(doc)),
  $nor: (predicates, hits) => (doc) =>
    !hits.group(true, () => predicates.some((predicate) => predicate(doc))),
}

const unsupported = new Set(['$where', '$sampleRate'])

function compileTopLevel(name: string, operand: unknown, options: InnerOptions): Predicate {
  const combine = lookUp(logical, name)
  if (combine !== undefined) {
    const isNested = options.isNested === true || name !== '$and'
    return combine(compileList(name, operand, { ...options, isNested }), options.hits)
  }
  if (name === '$comment') return () => true
  if (name === '$expr') {
    if (options.isElement) {
      throw new CommandError('BadValue', '$expr can only be applied to the top-level document')
    }
    const expression = compileExpression(operand, options.getScope())
    return (doc) => isTrue(expression(doc))
  }
  if (name === '$jsonSchema') return compileJsonSchema(operand)
  if (name === '$text') return compileText(operand, options)
  if (unsupported.has(name)) throw notImplemented(name)
  throw new CommandError(
    'BadValue',
    `unknown top level operator: ${name}. If you have a field name that starts with a '$' symbol, ` +
      'consider using $getField or $setField.',
  )
}

// The score is kept beside the document, for $meta.
function compileText(operand: unknown, { source, found }: InnerOptions): Predicate {
  if (!source) throw new CommandError('BadValue', '$text is not allowed in this context')
  if (!source.text) throw new CommandError('IndexNotFound', 'text index required for $text query')
  if (found.text) throw new CommandError('BadValue', 'Too many text expressions')
  const query = parseTextQuery(operand, source.text)
  found.text = query
  return (doc) => {
    const score = query.score(doc)
    if (score === undefined) return false
    addMetadata(doc, { textScore: asDouble(score) })
    return true
  }
}

function compileList(name: string, operand: unknown, options: InnerOptions): Predicate[] {
  if (!Array.isArray(operand)) throw new CommandError('BadValue', `${name} must be an array`)
  if (operand.length === 0)
    throw new CommandError('BadValue', '$and/$or/$nor must be a nonempty array')
  return operand.map((item: unknown) => {
    if (isDocument(item)) return compile(item, options)
    throw new CommandError('BadValue', '$or/$and/$nor entries need to be full objects')
  })
}
