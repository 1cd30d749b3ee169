import { type Double } from 'bson'
import { CommandError, notImplemented } from '../errors/command-error.ts'
import { type Doc } from './document.ts'

// What a query finds out about a document and keeps beside its fields, for `$meta`.
export interface Metadata {
  textScore?: number | Double
  geoNearDistance?: number | Double
  geoNearPoint?: unknown
}

// A symbol is neither a field nor encoded, and `{ ...doc }` keeps it.
const metadataKey = Symbol('metadata')

interface Marked {
  [metadataKey]?: Metadata
}

export function metadataOf(doc: Doc & Marked): Metadata {
  return doc[metadataKey] ?? {}
}

export function addMetadata(doc: Doc & Marked, metadata: Metadata): void {
  doc[metadataKey] = { ...doc[metadataKey], ...metadata }
}

// A stage that creates a new document passes the metadata on.
export function keepMetadata(from: Doc & Marked, to: Doc & Marked): Doc {
  const metadata = from[metadataKey]
  if (metadata !== undefined && to !== from) addMetadata(to, metadata)
  return to
}

const names: readonly (keyof Metadata)[] = ['textScore', 'geoNearDistance', 'geoNearPoint']
const unsupported = new Set<unknown>([
  'randVal',
  'recordId',
  'indexKey',
  'sortKey',
  'searchScore',
  'searchHighlights',
  'vectorSearchScore',
])

// The operand of `$meta`.
export function toMetadataName(operand: unknown): keyof Metadata {
  const name = names.find((one) => one === operand)
  if (name !== undefined) return name
  if (unsupported.has(operand)) throw notImplemented(`$meta: ${String(operand)}`)
  throw new CommandError('Location17308', `Unsupported argument to $meta: ${String(operand)}`)
}

const descriptions: Readonly<Record<keyof Metadata, string>> = {
  textScore: 'text score',
  geoNearDistance: '$geoNear distance',
  geoNearPoint: '$geoNear point',
}

export function requireMetadata(doc: Doc, name: keyof Metadata): unknown {
  const value = metadataOf(doc)[name]
  if (value !== undefined) return value
  throw new CommandError(
    'Location40218',
    `query requires ${descriptions[name]} metadata, but it is not available`,
  )
}
