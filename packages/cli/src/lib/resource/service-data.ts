import { atom, invoke, object, print } from '../code/code.ts'
import { functionHead, importCode, pickNames } from '../code/function-head.ts'
import { type FileData } from './controller-data.ts'
import { type Resource } from './resource.ts'
import { toKeyData, toScope } from './scope-data.ts'
import { type Can, type DataSource } from './template-data.ts'

/**
 * Computes imports and function heads of the service.
 *
 * @param source the resource and its names
 * @returns text by the templates' names for it
 */
export function serviceData(source: DataSource): FileData {
  return { imports: toImports(source), heads: { ...toHeads(source), ...toStatements(source) } }
}

/**
 * Tells whether a resource checks that what it refers to exists; a model that nobody has made yet is
 * checked from the day it is there.
 *
 * @param resource the resource
 * @returns true when it refers to anything
 */
export function checksReferences(resource: Resource): boolean {
  return resource.fields.some(({ type }) => type.kind === 'ref')
}

/**
 * Tells whether a service looks for the parent before it lists or creates.
 *
 * @param resource the resource
 * @param can what it can do
 * @returns true for a nested resource with such an action
 */
export function requiresParent(resource: Resource, can: Can): boolean {
  return resource.parent !== undefined && (can.list || can.create)
}

function toImports({ can, extension, names, resource }: DataSource): FileData['imports'] {
  const { model, plural, Many } = names
  const writes = can.replace || can.update || can.delete
  const core = pickNames([
    [can.list, 'findPage', alias(model, 'Page')],
    [writes, alias(model, 'IfMatch')],
    [can.update, 'patchDocument'],
    [can.replace || can.delete, 'rejectMiss'],
    [can.get || requiresParent(resource, can), 'requireFound'],
    [checksReferences(resource) && takesBody(can), 'requireReferences'],
    [can.replace, 'toReplacement'],
  ])
  const validation = pickNames([
    [can.update, `create${model}`],
    [can.create, `type Create${model}`],
    [can.list, `type List${Many}`],
    [can.update, `type Patch${model}`],
    [can.replace, `replace${model}`, `type Replace${model}`],
  ])
  const models = pickNames([
    [resource.actions.some((action) => action !== 'delete'), `type ${model}`],
    [true, `${model}Model`],
  ])
  return {
    serviceCore: importCode(core, '@create-api/core'),
    serviceModel: importCode(models, `./${plural}.model${extension}`),
    serviceValidation: importCode(validation, `./${plural}.validation${extension}`),
  }
}

function takesBody(can: Can): boolean {
  return can.create || can.replace || can.update
}

function toHeads({ names, resource }: DataSource): FileData['heads'] {
  const { model, Many } = names
  const scoped = toScope(resource).length > 0
  const scope = scoped ? [`scope: ${model}Scope`] : []
  const { declaration, name: keyName } = toKeyData(resource, '')
  const key = scoped ? `key: ${model}Key` : declaration.replace('_id', keyName)
  const match = `match: ${localName(model, 'IfMatch')}`
  const one = `Promise<${model}>`
  return {
    serviceList: functionHead({
      name: 'list',
      params: [...scope, `query: List${Many}`],
      returns: `Promise<${localName(model, 'Page')}<${model}>>`,
      async: resource.parent !== undefined,
    }),
    serviceGet: functionHead({ name: 'get', params: [key], returns: one }),
    serviceCreate: functionHead({
      name: 'create',
      params: [...scope, `input: Create${model}`],
      returns: one,
    }),
    serviceReplace: functionHead({
      name: 'replace',
      params: [key, `input: Replace${model}`, match],
      returns: one,
    }),
    servicePatch: functionHead({
      name: 'patch',
      params: [key, `input: Patch${model}`, match],
      returns: one,
    }),
    serviceRemove: functionHead({ name: 'remove', params: [key, match], returns: 'Promise<void>' }),
  }
}

// What is written to the model in one expression, broken where the name is long.
function toStatements({ names, resource }: DataSource): FileData['heads'] {
  const { model } = names
  const scoped = toScope(resource).length > 0
  const one =
    resource.key === undefined ? object([['_id', atom('id')]]) : object([[resource.key.name]])
  const key = scoped ? atom('key') : one
  const options = object([['schema', atom(`create${model}`)], ['patch', atom('input')], ['match']])
  const patch = invoke('patchDocument', [atom(`${model}Model`), key, options])
  return { servicePatchCall: `return ${print(patch, '  ', 'return '.length)}` }
}

// A resource may be called like one of the framework's types: pages are everyday.
function alias(model: string, type: string): string {
  const local = localName(model, type)
  return local === type ? `type ${type}` : `type ${type} as ${local}`
}

function localName(model: string, type: string): string {
  return model === type ? `Core${type}` : type
}
