import { quoted } from '../code/literals.ts'
import { toReadDefault, toSampleCode, toWrongCode, variesInSample } from '../fields/field-code.ts'
import { type Field } from '../fields/field.ts'
import { accountModel } from '../names/reserved.ts'
import { toListFields } from './list-fields.ts'
import { type ActionName } from './actions.ts'
import { isByRule, isOwned, isRestricted } from './access.ts'
import { toParentReaders } from './resolve-parent.ts'
import { type ExistingModel, type Resource, toScope } from './resource.ts'

const maxWrongValues = 8

// What only the generated test needs: sample values, and the fields each test uses.
export function toTestData(resource: Resource): object {
  const { existing, fields, key, names, parent, tenant } = resource
  const selfReference = fields.find(({ type }) => type.kind === 'ref' && type.model === names.model)
  const references = toReferences(resource)
  const findName = (choose: (field: Field) => boolean): string => fields.find(choose)?.name ?? ''
  return {
    // Without parameters, it is known before the test runs.
    hasFixedPath: parent === undefined && tenant !== 'path',
    storedScope: toStoredScope(resource),
    references,
    setups: references.flatMap(({ setup }) => setup ?? []),
    serverFields: ['id', ...toScope(resource).map(({ name }) => name)],
    ...toReadData(resource),
    selfReferring: selfReference?.name ?? '',
    requiredSamples: fields.filter(({ required }) => required).map(toSample),
    optionalSamples: fields
      .filter((field) => !field.required && !refersToMissing(field, resource) && isSampled(field))
      .map(toSample),
    defaults: toNamedCode(fields, toReadDefault),
    wrong: toNamedCode(fields, toWrongCode).slice(0, maxWrongValues),
    requiredFields: fields.filter(({ required }) => required).map(({ name }) => name),
    optional: findName((field) => isRemovable(field) && isChangeable(field, resource)),
    unique: findName(
      (field) => field.unique && variesInSample(field) && !existing?.secret.includes(field.name),
    ),
    patched: findName(
      (field) => variesInSample(field) && field !== key && isChangeable(field, resource),
    ),
    checkedReference: findName(
      (field) => !field.array && field.type.kind === 'ref' && !refersToMissing(field, resource),
    ),
    filtered: toFilter(resource),
    listsOwn: resource.access.of.list.join('|') === 'owner',
    ...toTenantTestData(resource),
  }
}

// Fields of a document that the test stores itself. A model can have owners where all of these routes are public.
function toStoredScope({ access, actions, parent }: Resource): string {
  const isOpen = actions.every((action) => access.of[action].includes('public'))
  const others = [
    ...(isOwned(access) && isOpen ? ['owner: absent'] : []),
    '...caller.scope',
    ...(parent ? [`${parent.field}: parent.id`] : []),
  ]
  return others.length > 1 ? `{ ${others.join(', ')} }` : 'caller.scope'
}

interface ReadNames {
  readonly filled: readonly string[]
  readonly fixed: readonly string[]
  readonly secret: readonly string[]
  readonly served: readonly string[]
  readonly updatedAt: string
}

const ownNames: ReadNames = {
  filled: [],
  fixed: [],
  secret: [],
  served: ['createdAt', 'updatedAt'],
  updatedAt: 'updatedAt',
}

function toReadNames(existing: ExistingModel): ReadNames {
  const { description, identifier, secret, served } = existing
  const { updatedAt = 'updatedAt' } = description.timestamps
  return {
    ...existing,
    secret: identifier.sent ? [...secret, '_id'] : secret,
    served: served.map(({ name }) => name),
    updatedAt,
  }
}

// How the members that a client reads follow from those that it has sent.
function toReadData({ existing, fields }: Resource): object {
  const { filled, fixed, secret, served, updatedAt } = existing ? toReadNames(existing) : ownNames
  return {
    fixed,
    secret,
    created: ['id', ...served, ...filled],
    kept: [
      'id',
      ...served.filter((name) => name !== updatedAt),
      ...fixed.filter((name) => !secret.includes(name)),
    ],
    renewed: served.filter((name) => name === updatedAt),
    replaceDefaults: toNamedCode(
      fields.filter(({ name }) => !fixed.includes(name)),
      toReadDefault,
    ),
  }
}

function isSampled({ type }: Field): boolean {
  return type.kind !== 'modelled' || type.code.sample !== undefined
}

function isRemovable(field: Field): boolean {
  const { array, notes, required, type } = field
  if (required || array) return false
  if (type.kind !== 'modelled') return field.default === undefined
  return type.code.readDefault === undefined && notes === undefined
}

function isChangeable({ name }: Field, { existing }: Resource): boolean {
  return !existing?.fixed.includes(name)
}

interface TenantTestData {
  /** Requests of a member of another organization to a document. */
  readonly outsiderRequests: readonly string[]
  readonly tenantReference: Field | false
  readonly uniquePerTenant: boolean
}

function toTenantTestData(resource: Resource): TenantTestData {
  const { actions, fields, parent, tenantModels } = resource
  const canCreate = actions.includes('create')
  const reference = fields.find(
    ({ array, type }) => !array && type.kind === 'ref' && tenantModels.includes(type.model),
  )
  // Refers to documents that members of another organization cannot reach.
  const refersToScoped =
    tenantModels.length > 0 ||
    fields.some(({ type }) => type.kind === 'ref' && type.model === accountModel) ||
    refersToRestricted(resource)
  const isUnique = fields.some((field) => field.unique && variesInSample(field))
  return {
    outsiderRequests: outsiderRequests
      .filter(([action]) => actions.includes(action))
      .map(([, request]) => request),
    tenantReference: (canCreate && reference) || false,
    uniquePerTenant: canCreate && isUnique && !refersToScoped && parent === undefined,
  }
}

// Whether there is anything for its test of organizations: those of lists are in the test of access.
export function hasTenantTests(resource: Resource): boolean {
  const {
    outsiderRequests: requests,
    tenantReference,
    uniquePerTenant,
  } = toTenantTestData(resource)
  return requests.length > 0 || tenantReference !== false || uniquePerTenant
}

const outsiderRequests: readonly (readonly [ActionName, string])[] = [
  ['get', 'get(url)'],
  ['update', 'patch(url).send({})'],
  ['delete', 'delete(url)'],
]

function toSample(field: Field): object {
  return { name: field.name, code: toSampleCode(field) }
}

function toNamedCode(
  fields: readonly Field[],
  toCode: (field: Field) => string | undefined,
): readonly object[] {
  return fields.flatMap((field) => {
    const code = toCode(field)
    return code === undefined ? [] : [{ name: field.name, code }]
  })
}

interface Reference {
  readonly name: string
  readonly initial: string
  /** Statement that creates what it refers to. */
  readonly setup?: string
}

// Whatever a reference names must exist, even if it has no other fields.
function toReferences(resource: Resource): readonly Reference[] {
  return resource.fields.flatMap((field) => {
    const { name, required, type } = field
    if (type.kind !== 'ref') return []
    const isMissing = refersToMissing(field, resource)
    if (isMissing && !required) return []
    const isSelf = type.model === resource.names.model
    const initial = isSelf ? 'String(new Types.ObjectId())' : 'absent'
    if (isSelf || isMissing) return [{ name, initial }]
    // In an organization, the user has to be one of its members.
    const user =
      resource.tenant === undefined
        ? '(await client.signUp()).user.id'
        : 'String(caller.scope.owner)'
    const id =
      type.model === accountModel ? user : `(await caller.insert(${quoted(type.model)})).id`
    return [{ name, initial, setup: `references.${name} = ${id}` }]
  })
}

// The reference will be checked once the model exists, so that no made-up id is right then. Which documents a rule of the
// application admits, only the application knows.
function refersToMissing({ type }: Field, { missingModels, readers }: Resource): boolean {
  if (type.kind !== 'ref') return false
  return missingModels.includes(type.model) || isByRule(readers[type.model] ?? [])
}

// Whether a complete document refers to something that other users cannot read.
function refersToRestricted(resource: Resource): boolean {
  return resource.fields.some(
    (field) =>
      field.type.kind === 'ref' &&
      !refersToMissing(field, resource) &&
      isRestricted(resource.readers[field.type.model] ?? ['public']),
  )
}

// What a generated test can try: what a rule of the application alone decides, it cannot know.
export function findTestable(resource: Resource): readonly ActionName[] {
  const { access, actions, fields, readers } = resource
  if (isByRule(toParentReaders(resource) ?? [])) return []
  const refersByRule = fields.some(
    ({ required, type }) => required && type.kind === 'ref' && isByRule(readers[type.model] ?? []),
  )
  return actions.filter(
    (action) =>
      !isByRule(access.of[action]) &&
      (!refersByRule || action === 'list' || action === 'get' || action === 'delete'),
  )
}

function toFilter(resource: Resource): object | false {
  const { filters, sort } = toListFields(resource)
  const field = resource.fields.find(
    ({ array, name, type }) => !array && filters.includes(name) && type.kind !== 'ref',
  )
  const created = filters.includes('createdAt') ? 'createdAt' : ''
  const filter = { field: field?.name ?? '', sort: sort.slice(0, 2).join(','), created }
  return filter.field === '' && filter.sort === '' ? false : filter
}
