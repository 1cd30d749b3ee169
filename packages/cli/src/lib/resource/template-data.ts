import { quoted } from '../code/literals.ts'
import { keepsEmptyObjects, toMongooseCode, toZodCode } from '../fields/field-code.ts'
import { type Field } from '../fields/field.ts'
import { toFieldType } from '../fields/field-types.ts'
import { toCoreTypes, toListParams, toSchemaName } from './imports.ts'
import { collatedOptions, toIndexes, toListFields } from './list-fields.ts'
import { isOwned, isRule, type ResourceAccess } from './access.ts'
import { isOfOne, mapActions, type OfActions } from './actions.ts'
import { type Parent, type Resource, toScope } from './resource.ts'
import { toRouteData } from './route-data.ts'
import { toTestData } from './test-data.ts'

// Everything the resource templates may print.
export function toTemplateData(resource: Resource): object {
  const { bulk, collation, exported, fields, key, names, path } = resource
  const { softDelete, tenant, timestamps } = resource
  const types = toCoreTypes(names.model)
  const can = toActionFlags(resource)
  const local = toLocalName(resource)
  const indexes = toIndexes(resource)
  const shared = toSharedParams(resource)
  const hasOwnParams = key !== undefined || shared !== ''
  return {
    names: { ...names, schema: toSchemaName(resource) },
    can,
    local,
    types,
    path,
    ...toRouteData(resource, shared),
    timestamps,
    softDelete,
    exported,
    bulk,
    collation: collation === undefined ? false : `{ locale: ${quoted(collation)}, strength: 2 }`,
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
    fields: fields.map((field) => ({
      name: field.name,
      zod: toZodCode(field),
      mongoose: toMongooseCode(
        tenant === undefined ? field : { ...field, unique: false, sparse: false },
      ),
    })),
    keepsEmptyObjects: keepsEmptyObjects(fields),
    indexes,
    collatedIndexes: indexes.some(({ options }) => options === collatedOptions),
    ...toListFields(resource),
    ...toTestData(resource),
  }
}

// Whether an action has a rule of the application, of which a generated test knows nothing.
export function hasRules({ access, actions: own }: Resource): boolean {
  return own.some((action) => access.of[action].some(isRule))
}

// `one` is true when any action is about one document.
type ActionFlags = OfActions<boolean> & { readonly one: boolean }

export function toActionFlags({ actions }: Resource): ActionFlags {
  return { ...mapActions((action) => actions.includes(action)), one: actions.some(isOfOne) }
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

interface KeyNames {
  readonly name: string
  readonly property: string
  /** As a member of a condition. */
  readonly entry: string
  readonly type: 'string' | 'number'
}

// How the generated code identifies one document: by its id, or by the field `--key` names.
function toKeyNames(key: Field | undefined): KeyNames {
  if (key === undefined) return { name: 'id', property: '_id', entry: '_id: id', type: 'string' }
  const { name } = key
  const type = toFieldType(key.type.kind).key?.type ?? 'string'
  return { name, property: name, entry: name, type }
}

function toKeyData({ key, names }: Resource, local: string): object {
  const keyNames = toKeyNames(key)
  if (key === undefined) {
    const absent = "[absent, 'nope']"
    return { ...keyNames, schema: 'objectId', location: '', segment: 'data.id', absent }
  }
  const { name, type } = keyNames
  const isNumber = type === 'number'
  return {
    ...keyNames,
    schema: isNumber ? 'integerId' : `create${names.model}.shape.${name}`,
    location: `, ${isNumber ? `String(${local}.${name})` : `${local}.${name}`}`,
    segment: isNumber ? `data.${name}` : `encodeURIComponent(data.${name})`,
    absent: toFieldType(key.type.kind).key?.absent(key),
  }
}

// The schemas of the parameters that all of its paths have, in order.
function toSharedParams({ parent, tenant }: Resource): string {
  const params = [
    ...(tenant === 'path' ? ['org: objectId'] : []),
    ...(parent ? [`${parent.param}: ${toParentKeyData(parent).schema}`] : []),
  ]
  return params.join(', ')
}

// Expressions in the controller for what the caller of an action can reach, and the type of a request that creates.
function toCallerScopes({ access, names, parent }: Resource): object {
  const types = toCoreTypes(names.model)
  const scope = parent ? 'await toScope(req)' : 'req.scope'
  return isStampedByScope(access)
    ? { callerScope: scope, createScope: scope, createRequest: types.ApiRequest }
    : {
        callerScope: scope,
        createScope: `inScope(${scope}, { owner: req.user.id })`,
        createRequest: types.UserRequest,
      }
}

// Whether the scope of the route that creates documents says whose they are.
function isStampedByScope(access: ResourceAccess): boolean {
  return !isOwned(access) || access.of.create.join('|') === 'owner'
}

function toParentData({ parent }: Resource): object | undefined {
  if (parent === undefined) return undefined
  const { field, label, model, param } = parent
  const { key, schema, sample, segment } = toParentKeyData(parent)
  return {
    field,
    label,
    model,
    param,
    variable: toParentVariable(parent),
    key,
    schema,
    // In the generated test, where the caller stores a parent.
    stored: sample === undefined ? quoted(model) : `${quoted(model)}, { ${key.name}: ${sample} }`,
    path: `caller.path.replace(${quoted(`:${param}`)}, ${segment})`,
    absentPath: `caller.path.replace(${quoted(`:${param}`)}, absent)`,
  }
}

// The variable for the parent in the service.
function toParentVariable({ field, key }: Parent): string {
  return field === key?.name || field === 'scope' || field === 'id' ? 'found' : field
}

interface ParentKeyData {
  /** How the service finds it. */
  readonly key: KeyNames
  /** Schema of the parameter in the path. */
  readonly schema: string
  /** Its key in the generated test; undefined for an id, which the database chooses. */
  readonly sample?: string
  /** Its segment in the path there. */
  readonly segment: string
}

function toParentKeyData(parent: Parent): ParentKeyData {
  const key = toKeyNames(parent.key)
  const segment = `parent.${key.name}`
  if (parent.key === undefined) return { key, schema: 'objectId', segment }
  return key.type === 'number'
    ? { key, schema: 'integerId', sample: '1', segment: `String(${segment})` }
    : { key, schema: 'z.string()', sample: "'parent'", segment }
}
