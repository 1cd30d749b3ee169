import { atom, list, object, print, text } from '../code/code.ts'
import { importCode, pickNames } from '../code/function-head.ts'
import { type Field } from '../fields/field.ts'
import { accountModel } from '../names/reserved.ts'
import { sortable } from './list-fields.ts'
import { type Resource } from './resource.ts'
import { defaultCode, toSampleCode, variesInSample, wrongCode } from './sample-code.ts'
import { checksReferences } from './service-data.ts'
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
  const { access, fields } = resource
  const owned = access === 'owner'
  const selfReferring = refersToItself(resource)
  const needsModel = !can.create || selfReferring
  const references = toReferences(resource)
  const inserted = references.some(({ setup }) => setup.includes('insertOne'))
  return {
    imports: {
      testCore: can.create ? '' : importCode(['createSerializer'], '@create-api/core'),
      testMongoose: importCode(
        pickNames([
          [inserted, 'model'],
          [selfReferring, 'Types'],
        ]),
        'mongoose',
      ),
    },
    data: {
      needsModel,
      needsSchema: !can.create,
      needsOwner: owned && needsModel,
      insertBody: owned ? '{ ...fields, owner }' : 'fields',
      references: references.length > 0 ? references : false,
      selfReferring,
      selfBody: toSelfBody(resource),
      requiredSamples: fields.filter(({ required }) => required).map(toSample),
      optionalSamples: fields.filter(({ required }) => !required).map(toSample),
      wrong: fields.flatMap(toWrong).slice(0, 8),
      defaults: toDefaults(fields),
      ...chooseFields(resource),
      ...listData(resource),
      ...routeData(source),
    },
  }
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

function toDefaults(fields: readonly Field[]): string {
  const parts = fields.flatMap((field) => {
    const code = defaultCode(field)
    return code === undefined ? [] : [`, ${field.name}: ${code}`]
  })
  return parts.join('')
}

function chooseFields(resource: Resource): object {
  const { fields } = resource
  const named = (choose: (field: Field) => boolean): string => fields.find(choose)?.name ?? ''
  const required = fields.filter((field) => field.required).map(({ name }) => text(name))
  const checked = checksReferences(resource)
  return {
    requiredFields:
      required.length === 0 ? '' : print(list(required), '', 'const requiredFields = '.length),
    optional: named((field) => !field.required && field.default === undefined && !field.array),
    unique: named((field) => field.unique && variesInSample(field)),
    patched: named((field) => variesInSample(field)),
    checkedReference: checked ? named(({ array, type }) => !array && type.kind === 'ref') : '',
  }
}

interface Reference {
  readonly name: string
  readonly initial: string
  readonly setup: string
}

// What a reference names must exist, whatever else is in it.
function toReferences(resource: Resource): readonly Reference[] {
  return resource.fields.flatMap(({ name, type }) => {
    if (type.kind !== 'ref') return []
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
  return `${target} = String((await model('${model}').collection.insertOne({})).insertedId)`
}

function refersToItself({ fields, names }: Resource): boolean {
  return fields.some(({ type }) => type.kind === 'ref' && type.model === names.model)
}

function toSelfBody(resource: Resource): string {
  const own = resource.fields.find(
    ({ type }) => type.kind === 'ref' && type.model === resource.names.model,
  )
  const owner = resource.access === 'owner' ? ', owner' : ''
  return `{ ...toComplete(), _id: references.${own?.name ?? ''}${owner} }`
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

function routeData({ can }: DataSource): object {
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
  return { guardedRoutes, collection: can.list || can.create, allow: allow.join(', ') }
}
