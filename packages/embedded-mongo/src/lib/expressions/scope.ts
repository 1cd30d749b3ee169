import { Timestamp } from 'bson'
import { type Doc } from '../bson/document.ts'
import { type Collation } from '../keys/collation.ts'

// Evaluates against a document; undefined means missing.
export type Expression = (root: Doc) => unknown

// The slot of a variable. An expression is evaluated completely before another one starts, so one
// slot suffices.
export interface Cell {
  value: unknown
}

export function createCell(): Cell {
  return { value: undefined }
}

// What an expression can read besides the document.
export interface Scope {
  // User variables by name, without `$$`.
  variables: ReadonlyMap<string, Cell>
  // $$NOW
  now: Date
  collation: Collation | undefined
}

export function createScope(options: ScopeOptions = {}): Scope {
  const now = options.now ?? new Date()
  const variables = new Map<string, Cell>([
    ['NOW', { value: now }],
    ['CLUSTER_TIME', { value: new Timestamp({ t: Math.floor(now.getTime() / 1000), i: 1 }) }],
    ['REMOVE', { value: undefined }],
  ])
  for (const [name, value] of Object.entries(options.variables ?? {})) {
    variables.set(name, { value })
  }
  return { variables, now, collation: options.collation }
}

export interface ScopeOptions {
  variables?: Doc | undefined
  now?: Date | undefined
  collation?: Collation | undefined
}

// The new variables hide outer ones of the same name.
export function extendScope(scope: Scope, cells: Iterable<[string, Cell]>): Scope {
  return { ...scope, variables: new Map([...scope.variables, ...cells]) }
}
