import { quoted } from '../code/literals.ts'
import { keepsEmptyObjects, toMongooseCode, toZodCode } from '../fields/field-code.ts'
import { toFieldType } from '../fields/field-types.ts'
import { toCoreTypes, toListParams, toSchemaName } from './imports.ts'
import { toIndexes, toListFields } from './list-fields.ts'
import { isMixed, isOwned, type ResourceAccess, toAccessCode } from './access.ts'
import { actions, type ActionName } from './actions.ts'
import { isPrivate, toParentReaders } from './resolve-parent.ts'
import { type Parent, type Resource, toScope } from './resource.ts'
import { toReferences } from './references.ts'
import { toCallerRoles, toScopeOfTest, toTestData } from './test-data.ts'

// Everything the resource templates may print.
export function toTemplateData(resource: Resource): object {
  const { fields, key, names, path, softDelete, tenant, timestamps } = resource
  const types = toCoreTypes(names.model)
  const can = toActionFlags(resource)
  const local = toLocalName(resource)
  const shared = toSharedParams(resource)
  const hasOwnParams = key !== undefined || shared !== ''
  return {
    names: { ...names, schema: toSchemaName(resource) },
    can,
    local,
    types,
    ...toAccessData(resource),
    tenant: toTenantData(resource, can),
    path,
    timestamps,
    softDelete,
    scope: toScope(resource),
    key: toKeyData(resource, local),
    params: {
      shared,
      list: toListParams(resource),
      own: hasOwnParams,
      type: hasOwnParams ? `${names.model}Params` : types.IdParams,
      route: hasOwnParams ? `params: ${names.one}Params` : 'params',
    },
    parent: toParentData(resource) ?? false,
    ...toCallerScopes(resource),
    routeReferences: toRouteReferences(resource),
    duplicates: fields.some(({ unique }) => unique),
    replaceErrors: toReplaceErrors(resource),
    fields: fields.map((field) => ({
      name: field.name,
      zod: toZodCode(field),
      mongoose: toMongooseCode(
        tenant === undefined ? field : { ...field, unique: false, sparse: false },
      ),
    })),
    keepsEmptyObjects: keepsEmptyObjects(fields),
    indexes: toIndexes(resource),
    ...toListFields(resource),
    ...toTestData(resource),
  }
}

function toAccessData(resource: Resource): object {
  const { access, names, tenant } = resource
  const types = toCoreTypes(names.model)
  const toCode = (words: readonly string[]): string => toAccessCode(words, tenant !== undefined)
  const { of, text } = access
  const roles = toCallerRoles(resource)
  return {
    // Only where the controller names the caller.
    createRequest: isStampedByScope(access) ? types.ApiRequest : types.UserRequest,
    access: isMixed(access) ? false : toCode(of.list),
    accessOf: Object.fromEntries(actions.map((action) => [action, toCode(of[action])])),
    guarded: text !== 'public',
    owned: isOwned(access),
    callerRoles: roles.length > 0 ? roles : false,
  }
}

function toTenantData({ actions: own, tenant }: Resource, can: ActionFlags): object | false {
  if (tenant === undefined) return false
  return { inPath: tenant === 'path', tested: own.length > 0, hides: can.one || can.list }
}

// Whether an action needs a token.
export function isGuarded({ access, actions: own }: Resource): boolean {
  return own.some((action) => !access.of[action].includes('public'))
}

// Whether an action has a rule of the application, of which a generated test knows nothing.
export function hasRules({ access, actions: own }: Resource): boolean {
  return own.some((action) => access.of[action].some(isRule))
}

function isRule(word: string): boolean {
  return word.startsWith('rule:')
}

// `one` is true when any action is about one document.
type ActionFlags = Readonly<Record<ActionName | 'one', boolean>>

export function toActionFlags(resource: Resource): ActionFlags {
  const can = {
    list: false,
    get: false,
    create: false,
    replace: false,
    update: false,
    delete: false,
  }
  for (const action of actions) can[action] = resource.actions.includes(action)
  return { ...can, one: can.get || can.replace || can.update || can.delete }
}

// Functions, parameters and constants of the generated service and controller.
const localNames =
  'list get create replace patch remove restore id key input match query scope changes page'.split(
    ' ',
  )
const maxLocalLength = 12

// The variable for one document in the service and the controller.
function toLocalName({ key, names: { one } }: Resource): string {
  const isTaken = localNames.includes(one) || key?.name === one
  return isTaken || one.length > maxLocalLength ? 'found' : one
}

// How the generated code identifies one document: by its id, or by the field `--key` names.
function toKeyData({ key, names }: Resource, local: string): object {
  if (key === undefined) {
    return {
      name: 'id',
      property: '_id',
      entry: '_id: id',
      type: 'string',
      schema: 'objectId',
      location: '',
      segment: 'data.id',
      absent: "[absent, 'nope']",
    }
  }
  const { name } = key
  const { key: rule } = toFieldType(key.type.kind)
  const isNumber = rule?.type === 'number'
  return {
    name,
    property: name,
    entry: name,
    type: rule?.type,
    schema: isNumber ? 'integerId' : `create${names.model}.shape.${name}`,
    location: `, ${isNumber ? `String(${local}.${name})` : `${local}.${name}`}`,
    segment: isNumber ? `data.${name}` : `encodeURIComponent(data.${name})`,
    absent: rule?.absent(key),
  }
}

// A rule may compare fields that a client can write; then a change reads the document first.
function toReplaceErrors({ access, fields }: Resource): string[] | false {
  const codes = [
    ...(access.of.replace.some(isRule) ? ['conflict'] : []),
    ...(fields.some(({ unique }) => unique) ? ['duplicate'] : []),
  ]
  return codes.length > 0 ? codes : false
}

// The schemas of the parameters that all of its paths have, in order.
function toSharedParams({ parent, tenant }: Resource): string {
  const params = [
    ...(tenant === 'path' ? ['org: objectId'] : []),
    ...(parent ? [`${parent.param}: ${toParentKeyData(parent).schema}`] : []),
  ]
  return params.join(', ')
}

// What the router states about references: those to documents that not everyone can read.
function toRouteReferences(resource: Resource): object[] | false {
  const { fields, parent, readers, tenant, tenantModels } = resource
  const references = toReferences(fields).map(({ model, path }) => ({
    name: path.includes('.') ? quoted(path) : path,
    words: readers[model],
    inTenant: tenantModels.includes(model),
  }))
  if (parent) {
    const words = toParentReaders(resource) ?? (tenant === undefined ? ['public'] : undefined)
    references.push({ name: parent.field, words, inTenant: tenant !== undefined })
  }
  const stated = references
    .filter(({ inTenant, words }) => words !== undefined || inTenant)
    .map(({ inTenant, name, words = ['user'] }) => ({
      name,
      access: toAccessCode(words, inTenant),
    }))
  return stated.length > 0 ? stated : false
}

// Expressions in the controller for what the caller of an action can reach.
function toCallerScopes({ access, parent }: Resource): object {
  const scope = parent ? 'await toScope(req)' : 'req.scope'
  const createScope = isStampedByScope(access) ? scope : `inScope(${scope}, { owner: req.user.id })`
  return { callerScope: scope, createScope }
}

// Whether the scope of the route that creates documents says whose they are.
function isStampedByScope(access: ResourceAccess): boolean {
  return !isOwned(access) || access.of.create.join('|') === 'owner'
}

function toParentData(resource: Resource): object | undefined {
  const { parent, path, tenant } = resource
  if (parent === undefined) return undefined
  const { field, label, model, param } = parent
  const scope = toScopeOfTest({ owned: isPrivate(parent), tenant: parent.tenant })
  const inTest = tenant === 'path' ? path.replace(':org', '${organization}') : path
  const { document, segment, ...key } = toParentKeyData(parent)
  return {
    field,
    label,
    model,
    param,
    variable: toParentVariable(parent),
    ...key,
    testDocument: `{ ${[...document, ...scope].join(', ')} }`,
    testPath: inTest.replace(`:${param}`, segment),
    absentPath: inTest.replace(`:${param}`, '${absent}'),
  }
}

// The variable for the parent in the service.
function toParentVariable({ field, key }: Parent): string {
  return field === key?.name || field === 'scope' || field === 'id' ? 'found' : field
}

interface ParentKeyData {
  readonly byId: boolean
  /** How the service finds it. */
  readonly key: {
    readonly name: string
    readonly entry: string
    readonly type: 'string' | 'number'
  }
  /** Schema of the parameter in the path. */
  readonly schema: string
  /** Members of the parent in the generated test, and its segment in the path. */
  readonly document: readonly string[]
  readonly segment: string
}

function toParentKeyData({ key }: Parent): ParentKeyData {
  if (key === undefined) {
    return {
      byId: true,
      key: { name: 'id', entry: '_id: id', type: 'string' },
      schema: 'objectId',
      document: [],
      segment: '${String(parent.insertedId)}',
    }
  }
  const { name } = key
  if (toFieldType(key.type.kind).key?.type === 'number') {
    const type = 'number'
    const document = [`${name}: 1`]
    return {
      byId: false,
      key: { name, entry: name, type },
      schema: 'integerId',
      document,
      segment: '1',
    }
  }
  const document = [`${name}: 'parent'`]
  const type = 'string'
  return {
    byId: false,
    key: { name, entry: name, type },
    schema: 'z.string()',
    document,
    segment: 'parent',
  }
}
