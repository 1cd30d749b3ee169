import { type Index } from '../catalog/collection.ts'

export type AccessPath = ScanPath | IndexPath | UnionPath

interface ScanPath {
  kind: 'scan'
  reverse: boolean
}

export interface IndexPath {
  kind: 'index'
  index: Index
  // Whole keys of the tree, ascending and disjoint.
  ranges: KeyBounds[]
  reverse: boolean
  // How many fields the ranges bind to single values.
  points: number
  // Whether a range follows them.
  hasRange: boolean
  // The index returns documents in the requested order.
  isSorted: boolean
  // Every entry within the ranges matches, so the filter can be skipped.
  isExact: boolean
}

// Ranges of several indexes, one per alternative of an $or.
export interface UnionPath {
  kind: 'union'
  branches: IndexPath[]
  // Each branch returns documents in the requested order.
  isSorted: boolean
}

// From `start` (inclusive) to `end` (exclusive).
export interface KeyBounds {
  start: string
  end: string
}
