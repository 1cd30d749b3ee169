import mongoose, { type Schema } from 'mongoose'
import { listPersonalModels } from '../auth/storage/model-registry.ts'
import { type AnyModel } from '../resource/model.ts'
import { findDecision, type PersonalDataOptions } from './personal-data.ts'

/** A field that refers to users. */
export interface UserReference {
  readonly path: string
  /** The array of documents that contains it; undefined for a field of the document itself. */
  readonly list?: string | undefined
  /** Whether its value is an array of ids. */
  readonly isArray: boolean
  /** Whether a document may lack it. */
  readonly isOptional: boolean
  /** The action on it; undefined if that needs a decision. */
  readonly onErase: 'unset' | 'keep' | undefined
}

/** A model of the application with data about users. */
export interface UserData {
  readonly model: AnyModel<unknown>
  readonly decision: PersonalDataOptions
  /** Undefined if the documents belong to no user. */
  readonly owner: string | undefined
  readonly references: readonly UserReference[]
}

// The models of the application on all connections.
export function findModels(): UserData[] {
  const own = listPersonalModels()
  const ownModels = new Set<unknown>(own.map(({ model }) => model))
  const accounts = own.filter(({ isAccount }) => isAccount).map(({ model }) => model.modelName)
  const names = new Set(accounts.length > 0 ? accounts : ['User'])
  return mongoose.connections
    .filter(({ readyState }) => readyState === mongoose.ConnectionStates.connected)
    .flatMap(({ models }) => Object.values(models))
    .filter((model) => !ownModels.has(model) && !names.has(model.modelName))
    .map((model) => describe(model, names))
    .filter(({ owner, references }) => owner !== undefined || references.length > 0)
}

function describe(model: AnyModel<unknown>, accounts: ReadonlySet<string>): UserData {
  const decision = findDecision(model.schema)
  const owner =
    decision.owner ??
    (model.schema.path('owner') && isOwner(model.schema, accounts) ? 'owner' : false)
  const references = listReferences(model.schema, accounts)
    .filter(({ path }) => path !== owner)
    .map((reference) => ({ ...reference, onErase: decide(reference, decision) }))
  return { model, decision, owner: owner || undefined, references }
}

// A field of that name can refer to something else.
function isOwner(schema: Schema, accounts: ReadonlySet<string>): boolean {
  const ref: unknown = schema.path('owner')?.options['ref']
  return typeof ref !== 'string' || accounts.has(ref)
}

type Reference = Omit<UserReference, 'onErase'>

function decide(
  { isOptional, path }: Reference,
  { references = {} }: PersonalDataOptions,
): UserReference['onErase'] {
  return references[path] ?? (isOptional ? 'unset' : undefined)
}

interface SchemaType {
  readonly options: Readonly<Record<string, unknown>>
  readonly isRequired?: boolean
  readonly schema?: Schema
  readonly $isMongooseDocumentArray?: boolean
  getEmbeddedSchemaType?(): SchemaType | undefined
}

interface Place {
  readonly above: string
  readonly list?: string | undefined
  /** Fields in arrays of arrays cannot be set by one update. */
  readonly isDeep?: boolean
}

function listReferences(
  schema: Schema,
  accounts: ReadonlySet<string>,
  place: Place = { above: '' },
): Reference[] {
  return Object.entries<SchemaType>(schema.paths).flatMap(([name, type]) => {
    const path = place.above + name
    if (type.schema) return listReferences(type.schema, accounts, toPlaceBelow(place, path, type))
    return refersTo(type, accounts) ? [toReference(path, type, place)] : []
  })
}

function toPlaceBelow({ isDeep = false, list }: Place, path: string, type: SchemaType): Place {
  const above = `${path}.`
  if (type.$isMongooseDocumentArray !== true) return { above, list, isDeep }
  return { above, list: list ?? path, isDeep: isDeep || list !== undefined }
}

function refersTo(type: SchemaType, accounts: ReadonlySet<string>): boolean {
  const ref = type.getEmbeddedSchemaType?.()?.options['ref'] ?? type.options['ref']
  return typeof ref === 'string' && accounts.has(ref)
}

function toReference(path: string, type: SchemaType, { isDeep = false, list }: Place): Reference {
  const isArray = type.getEmbeddedSchemaType?.() !== undefined
  return { path, list, isArray, isOptional: !isDeep && (isArray || type.isRequired !== true) }
}
