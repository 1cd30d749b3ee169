import { keepsEmptyObjects, toMongooseCode, toZodCode } from '../fields/field-code.ts'
import { toFieldType } from '../fields/field-types.ts'
import { toCoreTypes, toSchemaName } from './imports.ts'
import { toIndexes, toListFields } from './list-fields.ts'
import { actions, type ActionName, type Parent, type Resource, toScope } from './resource.ts'
import { toReferences } from './references.ts'
import { toTestData } from './test-data.ts'

// Everything the resource templates may print.
export function toTemplateData(resource: Resource): object {
  const { access, fields, key, names, parent, path, timestamps } = resource
  const types = toCoreTypes(names.model)
  const can = toActionFlags(resource)
  const local = toLocalName(resource)
  const hasOwnParams = key !== undefined || parent !== undefined
  return {
    names: { ...names, schema: toSchemaName(names.one) },
    can,
    local,
    types,
    request: access === 'owner' ? types.UserRequest : types.ApiRequest,
    access,
    guarded: access !== 'public',
    owned: access === 'owner',
    path,
    timestamps,
    scope: toScope(resource),
    key: toKeyData(resource, local),
    params: {
      own: hasOwnParams,
      type: hasOwnParams ? `${names.model}Params` : types.IdParams,
      route: hasOwnParams ? `params: ${names.one}Params` : 'params',
    },
    parent: toParentData(resource) ?? false,
    requiresParent: parent !== undefined && !parent.key && (can.list || can.create),
    ...toCalls(parent),
    // A model that does not exist yet is checked as soon as it does.
    checksReferences: toReferences(fields).length > 0,
    routeReferences: toRouteReferences(resource),
    duplicates: fields.some(({ unique }) => unique),
    fields: fields.map((field) => ({
      name: field.name,
      zod: toZodCode(field),
      mongoose: toMongooseCode(field),
    })),
    keepsEmptyObjects: keepsEmptyObjects(fields),
    indexes: toIndexes(resource),
    ...toListFields(resource),
    ...toTestData(resource),
  }
}

// `one` is true when any action is about one document.
type ActionFlags = Readonly<Record<ActionName | 'one', boolean>>

function toActionFlags(resource: Resource): ActionFlags {
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
  'list get create replace patch remove id key input match query scope changes page'.split(' ')
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
      find: 'findById(id)',
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
    find: `findOne({ ${name} })`,
    type: rule?.type,
    schema: isNumber ? 'integerId' : `create${names.model}.shape.${name}`,
    location: `, ${isNumber ? `String(${local}.${name})` : `${local}.${name}`}`,
    segment: isNumber ? `data.${name}` : `encodeURIComponent(data.${name})`,
    absent: rule?.absent(key),
  }
}

// What the router states about references: those to documents that have owners.
function toRouteReferences({ access, fields, ownedModels, parent }: Resource): object[] | false {
  const owned = toReferences(fields).filter(({ model }) => ownedModels.includes(model))
  const names = owned.map(({ path }) => (path.includes('.') ? `'${path}'` : path))
  if (parent?.access === 'owner') names.push(parent.field)
  return access === 'owner' && names.length > 0
    ? names.map((name) => ({ name, access: 'owner' }))
    : false
}

// Expressions in the controller: a parent with a key is looked up first.
function toCalls(parent: Parent | undefined): object {
  const wait = parent?.key ? 'await ' : ''
  return { toScope: parent ? `${wait}toScope(req)` : 'req.scope', toKey: `${wait}toKey(req)` }
}

function toParentData({ parent, path }: Resource): object | undefined {
  if (parent === undefined) return undefined
  const { access, field, label, model, param } = parent
  const owned = access === 'owner'
  const { document, segment, ...key } = toParentKeyData(parent)
  return {
    field,
    label,
    model,
    param,
    owned,
    ...key,
    testDocument: `{ ${[...document, ...(owned ? ['owner'] : [])].join(', ')} }`,
    testPath: path.replace(`:${param}`, segment),
    absentPath: path.replace(`:${param}`, '${absent}'),
  }
}

interface ParentKeyData {
  readonly byId: boolean
  readonly key?: { readonly name: string; readonly type: 'string' | 'number' }
  /** Schema of the parameter in the path. */
  readonly schema: string
  /** Members of the parent in the generated test, and its segment in the path. */
  readonly document: readonly string[]
  readonly segment: string
}

function toParentKeyData({ key }: Parent): ParentKeyData {
  if (key === undefined) {
    return { byId: true, schema: 'objectId', document: [], segment: '${String(parent.insertedId)}' }
  }
  const { name } = key
  if (toFieldType(key.type.kind).key?.type === 'number') {
    const type = 'number'
    const document = [`${name}: 1`]
    return { byId: false, key: { name, type }, schema: 'integerId', document, segment: '1' }
  }
  const document = [`${name}: 'parent'`]
  const type = 'string'
  return { byId: false, key: { name, type }, schema: 'z.string()', document, segment: 'parent' }
}
