import { type Index } from '../catalog/collection.ts'

/** A way to the documents of a collection. */
export type AccessPath = ScanPath | IndexPath | UnionPath

/** All documents in the order of their insertion. */
export interface ScanPath {
  kind: 'scan'
  reverse: boolean
}

/** Some ranges of an index. */
export interface IndexPath {
  kind: 'index'
  index: Index
  /** Whole keys of the tree, in ascending order, disjoint. */
  ranges: KeyBounds[]
  reverse: boolean
  /** How many fields the ranges bound to single values. */
  points: number
  /** Whether a range follows them. */
  hasRange: boolean
  /** Gives the wanted order. */
  isSorted: boolean
  /** Each entry within the ranges matches: the filter need not be asked. */
  isExact: boolean
}

/** Ranges of several indexes, one for each alternative of an `$or`. */
export interface UnionPath {
  kind: 'union'
  branches: IndexPath[]
}

/** Keys from `start` (included) to `end` (not included). */
export interface KeyBounds {
  start: string
  end: string
}
