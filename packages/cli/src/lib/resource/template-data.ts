import { posix } from 'node:path'
import { object, quoted } from '../code/literals.ts'
import { keepsEmptyObjects, toMongooseCode, toZodCode } from '../fields/field-code.ts'
import { type Field } from '../fields/field.ts'
import { type ProjectConfig } from '../project/config.ts'
import { toTypeCode } from '../models/type-code.ts'
import { toModelCode } from './model-import.ts'
import { toFieldType } from '../fields/field-types.ts'
import { toCoreTypes, toListParams, toSchemaName } from './imports.ts'
import { collatedOptions, toIndexes, toListFields } from './list-fields.ts'
import { isOwned, isRule, type ResourceAccess } from './access.ts'
import { isOfOne, mapActions, type OfActions } from './actions.ts'
import { hasHistory, type Parent, type Resource, toScope } from './resource.ts'
import { toRouteData } from './route-data.ts'
import { toTestData } from './test-data.ts'

// Everything the resource templates may print.
export function toTemplateData(resource: Resource, config: ProjectConfig): object {
  const { bulk, collation, exported, fields, key, names, path } = resource
  const { audit, events, live, softDelete, tenant, timestamps } = resource
  const folder = posix.join(config.resourcesDir, names.plural)
  const types = toCoreTypes(names.model)
  const can = toActionFlags(resource)
  const local = toLocalName(resource)
  const indexes = toIndexes(resource)
  const shared = toSharedParams(resource)
  const identifier = resource.existing?.identifier
  const hasOwnParams = key !== undefined || shared !== '' || identifier?.schema !== undefined
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
    live,
    bulk,
    events,
    audit,
    history: hasHistory(resource),
    historyOptions: toHistoryOptions(resource),
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
      notes: (field.notes ?? []).map(toLine),
      zod: toZodCode(field),
      mongoose: toMongooseCode(
        tenant === undefined ? field : { ...field, unique: false, sparse: false },
      ),
    })),
    ...toModelData(resource, folder, config),
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
  'list live get create replace patch remove restore id key input match query scope changes page'.split(
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

function toKeyData({ existing, key, names }: Resource, local: string): object {
  const keyNames = toKeyNames(key)
  if (existing?.identifier.schema !== undefined) {
    const { absent, schema, type } = existing.identifier
    return {
      ...keyNames,
      type,
      schema,
      location: '',
      segment: 'encodeURIComponent(data.id)',
      absent,
    }
  }
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

// What differs if the application had the model before: what clients read and may change, and where it comes from.
function toModelData(resource: Resource, folder: string, config: ProjectConfig): object {
  const { existing, names, timestamps } = resource
  if (existing === undefined) {
    const omitted = timestamps ? '' : '.omit({ createdAt: true, updatedAt: true })'
    const read = toReadNames(resource)
    return { etag: true, outputSuffix: omitted, changeSuffix: '', read, existing: false }
  }
  const { description, fixed, identifier, secret, served } = existing
  const times = ['createdAt', 'updatedAt']
  const omitted = [
    ...times.filter((name) => !served.some((field) => field.name === name)),
    ...secret,
    ...(identifier.sent ? ['_id'] : []),
  ]
  const added = [
    ...(identifier.output === undefined ? [] : [`id: ${identifier.output}`]),
    ...served.filter(({ name }) => !times.includes(name)).map(({ name, zod }) => `${name}: ${zod}`),
  ]
  const code = toModelCode(description, { folder, one: names.one }, config)
  return {
    etag: description.versionKey === '__v',
    outputSuffix:
      (omitted.length > 0 ? `.omit(${object(omitted.map((name) => `${name}: true`))})` : '') +
      (added.length > 0 ? `.extend(${object(added)})` : ''),
    changeSuffix: fixed.length > 0 ? `.omit(${object(fixed.map((name) => `${name}: true`))})` : '',
    read: toReadNames(resource),
    existing: {
      registers: code.registers,
      register: code.register,
      file: description.file,
      type: toTypeCode(description),
      model: quoted(description.model),
    },
  }
}

// Of a response, for comments: the members besides the fields.
function toReadNames({ existing, timestamps }: Resource): string {
  const others = existing
    ? existing.served.map(({ name }) => name)
    : timestamps
      ? ['createdAt', 'updatedAt']
      : []
  return ['id', ...others].join(', ').replace(/, (\w+)$/, ' and $1')
}

// A comment is one line.
const toLine = (note: string): string =>
  note.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]+/gu, ' ')

function toHistoryOptions({ names, parent, tenant }: Resource): string {
  const options = [
    ...(tenant === undefined ? [] : ["access: memberRole('admin')"]),
    ...(parent === undefined ? [] : [`scope: ${names.many}.toScope`]),
  ]
  return options.length === 0 ? '' : `, { ${options.join(', ')} }`
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
