import {
  compileExpression,
  createCommandScope,
} from '../aggregate/expressions/compile-expression.ts'
import { isTrue } from '../aggregate/expressions/operator.ts'
import { type Scope } from '../aggregate/expressions/scope.ts'
import { type Doc, isDocument } from '../bson/document.ts'
import { CommandError, notImplemented } from '../errors/command-error.ts'
import { type Collation } from '../keys/collation.ts'
import { findHit, matchGroup } from './hits.ts'
import { compileField } from './compile-field.ts'
import { compileJsonSchema } from './json-schema.ts'
import { type Predicate } from './match-path.ts'

/** What a filter depends on beside the document. */
export interface FilterOptions {
  /**
   * How text compares.
   * @default binary
   */
  collation?: Collation | undefined
  /**
   * Values of `let`, for `$expr`.
   * @default none
   */
  variables?: Doc | undefined
  /**
   * The time of `$$NOW`.
   * @default the time of compilation
   */
  now?: Date | undefined
  /**
   * A scope for `$expr`, in place of variables and time.
   * @default made from the other options
   */
  scope?: Scope | undefined
}

/** Options inside the engine: an expression's scope in place of variables and time. */
interface InnerOptions {
  collation: Collation | undefined
  getScope: () => Scope
}

/** A filter ready to run. */
export interface Filter extends Predicate {
  /**
   * Finds the array element a positional update or projection means.
   * @param doc - The document.
   * @returns Undefined without a match; −1 when no array took part; else the element's index.
   */
  hit(doc: Doc): number | undefined
}

/**
 * Compiles a filter.
 * @param filter - MongoDB's filter document.
 * @param options - Collation, variables and time.
 * @returns The predicate, with `hit` for positional operators.
 * @throws {CommandError} 2 and others of MongoDB's for a bad filter, 238 for what is not supported.
 */
export function compileFilter(filter: Doc, options: FilterOptions = {}): Filter {
  let { scope } = options
  // Few filters need a scope.
  const getScope = () => (scope ??= createCommandScope(options))
  const collation = options.collation ?? scope?.collation
  const predicate = compile(filter, { collation, getScope })
  return Object.assign((doc: Doc) => predicate(doc), {
    hit: (doc: Doc) => findHit(() => predicate(doc)),
  })
}

function compile(filter: Doc, options: InnerOptions): Predicate {
  const predicates: Predicate[] = []
  for (const name of Object.keys(filter)) {
    const operand = filter[name]
    if (!name.startsWith('$')) predicates.push(compileField(name, operand, toContext(options)))
    else predicates.push(compileTopLevel(name, operand, options))
  }
  return all(predicates)
}

function toContext(options: InnerOptions): Parameters<typeof compileField>[2] {
  return {
    collation: options.collation,
    compileDocument: (filter) => compile(filter, options),
  }
}

function all(predicates: readonly Predicate[]): Predicate {
  const [first, second] = predicates
  if (first === undefined) return () => true
  if (second === undefined) return first
  return (doc) => matchGroup(false, () => predicates.every((predicate) => predicate(doc)))
}

type Logical = (predicates: readonly Predicate[]) => Predicate

const logical: Readonly<Record<string, Logical>> = {
  $and: all,
  $or: (predicates) => (doc) => predicates.some((predicate) => predicate(doc)),
  $nor: (predicates) => (doc) =>
    !matchGroup(true, () => predicates.some((predicate) => predicate(doc))),
}

const unsupported = new Set(['$where', '$text', '$sampleRate'])

function compileTopLevel(name: string, operand: unknown, options: InnerOptions): Predicate {
  const combine = logical[name]
  if (combine !== undefined) return combine(compileList(name, operand, options))
  if (name === '$comment') return () => true
  if (name === '$expr') {
    const expression = compileExpression(operand, options.getScope())
    return (doc) => isTrue(expression(doc))
  }
  if (name === '$jsonSchema') return compileJsonSchema(operand)
  if (unsupported.has(name)) throw notImplemented(name)
  throw new CommandError(
    2,
    `unknown top level operator: ${name}. If you have a field name that starts with a '$' symbol, ` +
      'consider using $getField or $setField.',
  )
}

function compileList(name: string, operand: unknown, options: InnerOptions): Predicate[] {
  if (!Array.isArray(operand)) throw new CommandError(2, `${name} must be an array`)
  if (operand.length === 0) throw new CommandError(2, '$and/$or/$nor must be a nonempty array')
  return operand.map((item: unknown) => {
    if (isDocument(item)) return compile(item, options)
    throw new CommandError(2, '$or/$and/$nor entries need to be full objects')
  })
}
