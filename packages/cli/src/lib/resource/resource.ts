import { posix } from 'node:path'
import { isOwned, type ResourceAccess, toAccessName } from './access.ts'
import { type ActionName, actionTable, isChange, listedActions } from './actions.ts'
import { type Field } from '../fields/field.ts'
import { type ProjectConfig, tenantChoices } from '../project/config.ts'
import { accountModel } from '../names/reserved.ts'
import { type ResourceNames } from '../names/resource-names.ts'
import { type ModelReading } from '../models/read-model.ts'
import { type ModelDescription } from '../project/model-description.ts'

export type TenantChoice = (typeof tenantChoices)[number]

export function readTenant(text: string | undefined): TenantChoice | undefined {
  return tenantChoices.find((choice) => choice === text)
}

export const parts = [
  'model',
  'validation',
  'service',
  'controller',
  'routes',
  'test',
  'mount',
] as const

export type PartName = (typeof parts)[number]

export function toPartPath(
  { extension, resourcesDir }: ProjectConfig,
  plural: string,
  part: PartName,
): string {
  return posix.join(resourcesDir, plural, `${plural}.${part}${extension}`)
}

export interface Parent {
  /** Its model: `Post`. */
  readonly model: string
  /** Its folder, and its name on the command line: `posts`. */
  readonly plural: string
  /** In text: `blog post`. */
  readonly label: string
  /** Field that holds its id: `post`. */
  readonly field: string
  /** Parameter of the path that identifies it: `postId`, with a key `postSlug`. */
  readonly param: string
  /** The unique field that identifies it in its path, instead of the id. */
  readonly key?: Field | undefined
  /** Path it is mounted at. */
  readonly path: string
  readonly access: ResourceAccess
  /** Set if its documents belong to organizations. */
  readonly tenant?: TenantChoice | undefined
  /** Whether a deleted one stays in the database. */
  readonly softDelete: boolean
  /** Its model, if that existed before its resource. */
  readonly existing?: ModelDescription | undefined
}

/** A model of the application that a resource uses instead of a generated one. */
export interface ExistingModel extends ModelReading {
  readonly description: ModelDescription
}

export interface Resource {
  readonly names: ResourceNames
  readonly fields: readonly Field[]
  /** Every query carries its id. */
  readonly parent?: Parent | undefined
  /** The unique field that identifies a document in its path, instead of the id. */
  readonly key?: Field | undefined
  readonly access: ResourceAccess
  /** Set if its documents belong to organizations. */
  readonly tenant?: TenantChoice | undefined
  readonly actions: readonly ActionName[]
  /** Path it is mounted at. */
  readonly path: string
  /** With createdAt and updatedAt. */
  readonly timestamps: boolean
  /** Deleted documents stay in the database and can be restored. */
  readonly softDelete: boolean
  /** Its list can also be requested as CSV and NDJSON. */
  readonly exported: boolean
  /** The changes of its list can be followed. */
  readonly live: boolean
  /** Many documents can be changed in one request. */
  readonly bulk: boolean
  /** Each change of a document emits an event. */
  readonly events: boolean
  /** Whether the changes of its documents are recorded. */
  readonly audit: boolean
  /** Locale of the collation of its list, which ignores case; undefined for exact comparison. */
  readonly collation?: string | undefined
  /** The model that it uses instead of a generated one. */
  readonly existing?: ExistingModel | undefined
  /** Models that its fields refer to and nothing defines yet. */
  readonly missingModels: readonly string[]
  /** Who can read the documents of the models that its fields refer to, by model: alternatives, as in `access`. */
  readonly readers: Readonly<Record<string, readonly string[]>>
  /** Models that its fields refer to, and only to documents of the organization. */
  readonly tenantModels: readonly string[]
}

// Where a resource is mounted unless a path was chosen.
export function toDefaultPath(plural: string, tenant: TenantChoice | undefined): string {
  return `${tenant === 'path' ? '/api/orgs/:org' : '/api'}/${plural}`
}

// A field that the server sets in every document and adds to every query.
export interface ScopeField {
  readonly name: string
  /** Model it refers to. */
  readonly model: string
}

// The organization, the parent and the owner of a document; none for a resource open to everyone.
export function toScope({ access, parent, tenant }: Resource): readonly ScopeField[] {
  const fields: ScopeField[] = []
  if (tenant !== undefined) {
    fields.push({ name: 'organization', model: 'Organization' })
  }
  if (parent !== undefined) {
    const { field: name, model } = parent
    fields.push({ name, model })
  }
  if (isOwned(access)) {
    fields.push({ name: 'owner', model: accountModel })
  }
  return fields
}

export interface ResourceRoute {
  readonly method: string
  readonly path: string
  readonly access: string
}

export function toRoutes(resource: Resource): readonly ResourceRoute[] {
  const { access, bulk, live, path, softDelete, tenant } = resource
  const toName = (words: readonly string[]): string =>
    toAccessName(words.join('|'), tenant !== undefined)
  const key = resource.key?.name ?? 'id'
  const ofActions = listedActions
    .filter((action) => resource.actions.includes(action))
    .map((action) => {
      const { method, path: below } = actionTable[action]
      return {
        method,
        path: path + below.replace(':id', `:${key}`),
        access: toName(access.of[action]),
      }
    })
  const changes = { method: 'GET', path: `${path}/changes`, access: toName(access.of.list) }
  const restoreAccess = toName(access.of.delete)
  const restore = { method: 'POST', path: `${path}/:${key}/restore`, access: restoreAccess }
  const ofBulk = { method: 'POST', path: `${path}/bulk`, access: toName(joinChanges(resource)) }
  const ofHistory = {
    method: 'GET',
    path: `${path}/:${key}/history`,
    access: toHistoryAccess(resource),
  }
  return [
    ...ofActions,
    ...(live ? [changes] : []),
    ...(softDelete ? [restore] : []),
    ...(bulk ? [ofBulk] : []),
    ...(hasHistory(resource) ? [ofHistory] : []),
  ]
}

// Whether there is a route for the audit trail of a document: one that can be read.
export function hasHistory({ actions, audit }: Pick<Resource, 'actions' | 'audit'>): boolean {
  return audit && actions.includes('get')
}

function toHistoryAccess({ tenant }: Resource): string {
  return tenant === undefined ? 'admin' : 'administrators'
}

// Whom at least one of the actions that change documents admits.
function joinChanges({ access, actions }: Resource): readonly string[] {
  const words = [...new Set(actions.filter(isChange).flatMap((action) => access.of[action]))]
  const open = ['public', 'user'].find((word) => words.includes(word))
  return open === undefined ? words : [open]
}

// The options of the command line that are on or off, and the properties that they set.
const switches = [
  ['soft-delete', 'softDelete'],
  ['export', 'exported'],
  ['live', 'live'],
  ['bulk', 'bulk'],
  ['events', 'events'],
  ['audit', 'audit'],
] as const

// The options that are on, as they are recorded.
export function toSwitches(resource: Resource): Readonly<Record<string, string>> {
  const on = switches.filter(([, property]) => resource[property])
  return Object.fromEntries(on.map(([option]) => [option, 'true']))
}
