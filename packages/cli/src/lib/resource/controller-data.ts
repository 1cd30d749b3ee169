import { functionHead, importCode, pickNames } from '../code/function-head.ts'
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
  const writes = can.replace || can.update || can.delete
  const core = pickNames([
    [true, `type ${request}`],
    [can.one, 'type IdParams'],
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
  ])
  const specifier = `./${plural}.validation${extension}`
  const head = (name: string, valid: string): string =>
    functionHead({
      name,
      params: [`req: ${request}<{ ${valid} }>`, 'res: Response'],
      returns: 'Promise<void>',
    })
  return {
    imports: {
      controllerCore: importCode(core, '@create-api/core'),
      controllerValidation: importCode(validation, specifier),
    },
    heads: {
      list: head('list', `query: List${Many}`),
      get: head('get', 'params: IdParams'),
      create: head('create', `body: Create${model}`),
      remove: head('remove', 'params: IdParams'),
    },
  }
}
