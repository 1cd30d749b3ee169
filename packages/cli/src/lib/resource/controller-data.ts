import { functionHead, importCode, pickNames } from '../code/function-head.ts'
import { toParamsData, toScope } from './scope-data.ts'
import { type DataSource } from './template-data.ts'

/** Imports and function heads of one generated file. */
export interface FileData {
  readonly imports: Readonly<Record<string, string>>
  readonly heads: Readonly<Record<string, string>>
}

/**
 * Computes imports and function heads of the controller.
 *
 * @param source the resource and its names
 * @returns text by the templates' names for it
 */
export function controllerData(source: DataSource): FileData {
  const { can, extension, names, resource } = source
  const request = resource.access === 'owner' ? 'UserRequest' : 'ApiRequest'
  const { model, plural, Many } = names
  const params = toParamsData(resource, names)
  const writes = can.replace || can.update || can.delete
  const core = pickNames([
    [true, `type ${request}`],
    [can.one && !params.own, 'type IdParams'],
    [writes, 'parseIfMatch'],
    [can.create, 'setCreated'],
    [can.get || can.replace || can.update, 'setEtag'],
    [true, 'success'],
  ])
  const validation = pickNames([
    [can.create, `type Create${model}`],
    [can.list, `type List${Many}`],
    [can.update, `type Patch${model}`],
    [can.replace, `type Replace${model}`],
    [can.one && params.own, `type ${params.typeOfOne}`],
    [params.typeOfMany !== '', `type ${params.typeOfMany}`],
  ])
  const specifier = `./${plural}.validation${extension}`
  return {
    imports: {
      controllerCore: importCode(core, '@create-api/core'),
      controllerValidation: importCode(validation, specifier),
    },
    heads: toHeads(source, request),
  }
}

function toHeads({ names, resource }: DataSource, request: string): FileData['heads'] {
  const { model, Many } = names
  const params = toParamsData(resource, names)
  const ofMany = params.typeOfMany === '' ? [] : [`params: ${params.typeOfMany}`]
  const ofOne = `params: ${params.typeOfOne}`
  const head = (name: string, ...valid: readonly string[]): string =>
    functionHead({
      name,
      params: [`req: ${request}<{ ${valid.join('; ')} }>`, 'res: Response'],
      returns: 'Promise<void>',
    })
  const scoped = toScope(resource).length > 0
  return {
    list: head('list', ...ofMany, `query: List${Many}`),
    get: head('get', ofOne),
    create: head('create', ...ofMany, `body: Create${model}`),
    remove: head('remove', ofOne),
    ...(scoped && {
      toScope: `function toScope(req: ${request}${ofMany.length > 0 ? `<{ ${ofMany.join('')} }>` : ''}): service.${model}Scope`,
      toKey: `function toKey(req: ${request}<{ ${ofOne} }>): service.${model}Key`,
    }),
    replaceRequest: `type ReplaceRequest = ${request}<{ ${ofOne}; body: Replace${model} }>`,
    patchRequest: `type PatchRequest = ${request}<{ ${ofOne}; body: Patch${model} }>`,
  }
}
