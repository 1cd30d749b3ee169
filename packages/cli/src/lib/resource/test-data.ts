import { atom, type Code, list, number, object, print, text } from '../code/code.ts'
import { importCode, pickNames } from '../code/function-head.ts'
import { limits } from '../code/zod-code.ts'
import { type Field } from '../fields/field.ts'
import { accountModel } from '../names/reserved.ts'
import { sortable } from './list-fields.ts'
import { type Resource } from './resource.ts'
import { defaultCode, toSampleCode, variesInSample, wrongCode } from './sample-code.ts'
import { type ScopeField, toScope } from './scope-data.ts'
import { type DataSource } from './template-data.ts'

/** What the generated test needs. */
export interface TestData {
  readonly imports: Readonly<Record<string, string>>
  readonly data: object
}

/**
 * Computes what the generated test needs: samples, and the fields it tries things on.
 *
 * @param source the resource and its names
 * @returns plain data
 */
export function testData(source: DataSource): TestData {
  const { can, resource } = source
  const { fields, parent } = resource
  const selfReferring = refersToItself(resource)
  const needsModel = !can.create || selfReferring
  const references = toReferences(resource)
  const inserted = setups(references, 'insertOne')
  const needsOwner = setups(references, '{ owner }') || parent?.access === 'owner'
  const scope = needsModel ? toScope(resource) : []
  return {
    imports: {
      testCore: can.create ? '' : importCode(['createSerializer'], '@create-api/core'),
      testMongoose: importCode(
        pickNames([
          [inserted || parent !== undefined, 'model'],
          [selfReferring || needsOwner, 'Types'],
        ]),
        'mongoose',
      ),
    },
    data: {
      needsModel,
      needsSchema: !can.create,
      scopeOfTest: scope.map(({ name }) => `${name}: string`).join('; '),
      insertBody: scope.length > 0 ? '{ ...fields, ...scope }' : 'fields',
      references: references.length > 0 ? references : false,
      setup: [
        ...(needsOwner ? ['const owner = new Types.ObjectId(caller.user.id)'] : []),
        ...references.flatMap(({ setup }) => (setup === '' ? [] : [setup])),
        ...toParentSetup(resource),
        ...toScopeSetup(scope),
      ],
      selfReferring,
      selfBody: toSelfBody(resource),
      requiredSamples: fields.filter(({ required }) => required).map(toSample),
      optionalSamples: fields
        .filter((field) => !field.required && !refersToMissing(field, resource))
        .map(toSample),
      wrong: fields.flatMap(toWrong).slice(0, 8),
      filled: toFilled(fields),
      ...chooseFields(resource),
      ...listData(resource),
      ...routeData(source),
    },
  }
}

function setups(references: readonly Reference[], code: string): boolean {
  return references.some(({ setup }) => setup.includes(code))
}

function toParentSetup({ parent, path }: Resource): readonly string[] {
  if (parent === undefined) return []
  const { access, model, param } = parent
  const owned = access === 'owner'
  return [
    `const parent = await model('${model}').collection.insertOne({${owned ? ' owner ' : ''}})`,
    `path = \`${path.replace(`:${param}`, '${String(parent.insertedId)}')}\``,
  ]
}

function toScopeSetup(scope: readonly ScopeField[]): readonly string[] {
  if (scope.length === 0) return []
  const values = scope.map(({ name }) =>
    name === 'owner' ? 'owner: caller.user.id' : `${name}: String(parent.insertedId)`,
  )
  return [`scope = { ${values.join(', ')} }`]
}

interface Sample {
  readonly name: string
  readonly code: string
}

function toSample(field: Field): Sample {
  return { name: field.name, code: print(toSampleCode(field), '    ', field.name.length + 3) }
}

function toWrong(field: Field): readonly Sample[] {
  const code = wrongCode(field)
  return code === undefined ? [] : [{ name: field.name, code }]
}

// What comes back when only the required fields were sent.
function toFilled(fields: readonly Field[]): string {
  const defaults = fields.flatMap((field): [string, Code][] => {
    const code = defaultCode(field)
    return code === undefined ? [] : [[field.name, atom(code)]]
  })
  const document = object([['id'], ['createdAt'], ['updatedAt'], ['...required'], ...defaults])
  return print(document, '    ', 'expect(body.data).toEqual()'.length)
}

function chooseFields(resource: Resource): object {
  const { fields, key } = resource
  const named = (choose: (field: Field) => boolean): string => fields.find(choose)?.name ?? ''
  const required = fields.filter((field) => field.required).map(({ name }) => text(name))
  return {
    requiredFields:
      required.length === 0 ? '' : print(list(required), '', 'const requiredFields = '.length),
    optional: named((field) => !field.required && field.default === undefined && !field.array),
    unique: named((field) => field.unique && variesInSample(field)),
    patched: named((field) => variesInSample(field) && field !== key),
    checkedReference: named(
      ({ array, type }) =>
        !array && type.kind === 'ref' && !resource.missingModels.includes(type.model),
    ),
  }
}

interface Reference {
  readonly name: string
  readonly initial: string
  readonly setup: string
}

// What a reference names must exist, whatever else is in it.
function toReferences(resource: Resource): readonly Reference[] {
  return resource.fields.flatMap((field) => {
    const { name, required, type } = field
    if (type.kind !== 'ref') return []
    if (!required && refersToMissing(field, resource)) return []
    if (type.model === resource.names.model) {
      return [{ name, initial: 'String(new Types.ObjectId())', setup: '' }]
    }
    return [{ name, initial: 'absent', setup: toSetup(resource, name, type.model) }]
  })
}

function toSetup(resource: Resource, name: string, model: string): string {
  if (resource.missingModels.includes(model)) return ''
  const target = `references.${name}`
  if (model === accountModel) return `${target} = (await client.signUp()).user.id`
  const fields = resource.ownedModels.includes(model) ? '{ owner }' : '{}'
  return `${target} = String((await model('${model}').collection.insertOne(${fields})).insertedId)`
}

// Its references are checked from the day it is there: no made-up id is right then.
function refersToMissing({ type }: Field, { missingModels }: Resource): boolean {
  return type.kind === 'ref' && missingModels.includes(type.model)
}

function refersToItself({ fields, names }: Resource): boolean {
  return fields.some(({ type }) => type.kind === 'ref' && type.model === names.model)
}

function toSelfBody(resource: Resource): string {
  const own = resource.fields.find(
    ({ type }) => type.kind === 'ref' && type.model === resource.names.model,
  )
  const scope = toScope(resource).length > 0 ? ', ...scope' : ''
  return `{ ...toComplete(), _id: references.${own?.name ?? ''}${scope} }`
}

function listData(resource: Resource): object {
  const { filters, sort } = sortable(resource)
  const field = resource.fields.find(
    ({ array, name, type }) => !array && filters.includes(name) && type.kind !== 'ref',
  )
  const entries: [string, string][] = []
  if (field !== undefined) entries.push([field.name, `data.${field.name}`])
  if (resource.timestamps) entries.push(["'createdAt[gte]'", 'data.createdAt'])
  const order = sort.slice(0, 2).join(',')
  if (order !== '') entries.push(['sort', `'-${order}'`])
  const query = object(entries.map(([key, code]) => [key, atom(code)]))
  return {
    filtered: entries.length > 0,
    filterQuery: print(query, '    ', 'const query = '.length),
  }
}

function routeData({ can, resource }: DataSource): object {
  const one = '`${path}/${absent}`'
  const guardedRoutes = [
    ...(can.list ? [{ method: 'get', target: 'path' }] : []),
    ...(can.create ? [{ method: 'post', target: 'path' }] : []),
    ...(can.get ? [{ method: 'get', target: one }] : []),
    ...(can.replace ? [{ method: 'put', target: one }] : []),
    ...(can.update ? [{ method: 'patch', target: one }] : []),
    ...(can.delete ? [{ method: 'delete', target: one }] : []),
  ]
  const allow = pickNames([
    [can.list, 'GET', 'HEAD'],
    [true, 'OPTIONS'],
    [can.create, 'POST'],
  ])
  const { key, parent, path } = resource
  return {
    guardedRoutes,
    allow: allow.join(', '),
    absentKeys: toAbsentKeys(key),
    parentOwned: parent?.access === 'owner',
    // Of what it refers to another user may not know.
    refersToOwned: resource.ownedModels.length > 0,
    absentPath: path.replace(`:${parent?.param ?? ''}`, '${absent}'),
  }
}

// One that names nothing, and one that no document can have.
function toAbsentKeys(key: Field | undefined): string {
  if (key === undefined || key.type.kind === 'uuid') return "[absent, 'nope']"
  if (key.type.kind === 'int') return "['999999999', 'nope']"
  return `[absent, 'x'.repeat(${number((key.max ?? limits.string) + 1).flat})]`
}
