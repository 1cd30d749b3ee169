import { Timestamp } from 'bson'
import { type Doc } from '../../bson/document.ts'
import { type Collation } from '../../keys/collation.ts'

/** An expression ready to run: reads the document at hand, gives a value, undefined when missing. */
export type Expression = (root: Doc) => unknown

/** A variable's place; an expression runs to its end before another does, so one place suffices. */
export interface Cell {
  value: unknown
}

/**
 * Makes a variable's place.
 * @returns The place, without a value.
 */
export function createCell(): Cell {
  return { value: undefined }
}

/** What an expression can see beside the document. */
export interface Scope {
  /** User variables by name, without `$$`. */
  variables: ReadonlyMap<string, Cell>
  /** The time of `$$NOW`. */
  now: Date
  /** How text compares. */
  collation: Collation | undefined
}

/**
 * Makes a scope.
 * @param options - Collation and time; variables whose values are plain values.
 * @returns The scope.
 */
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

/** Options of {@link createScope}. */
export interface ScopeOptions {
  /**
   * Values of variables, by name; already evaluated.
   * @default none
   */
  variables?: Doc | undefined
  /**
   * The time of `$$NOW`.
   * @default the current time
   */
  now?: Date | undefined
  /**
   * How text compares.
   * @default binary
   */
  collation?: Collation | undefined
}

/**
 * Makes a scope with more variables.
 * @param scope - The outer scope.
 * @param cells - The new variables; they hide outer ones of the same name.
 * @returns The inner scope.
 */
export function extendScope(scope: Scope, cells: Iterable<[string, Cell]>): Scope {
  return { ...scope, variables: new Map([...scope.variables, ...cells]) }
}
