import { posix } from 'node:path'
import { type ModuleExports } from '../code/add-imports.ts'
import { quoted } from '../code/literals.ts'
import { type ProjectConfig } from '../project/config.ts'
import { type ModelDescription } from '../project/model-description.ts'

// Where the code of a resource gets its model from: its own file, or the module that the application had before.

interface ModelUse {
  /** Folder of the resource that has the model. */
  readonly plural: string
  /** Its name there: `PostModel`. */
  readonly name: string
  readonly existing: ModelDescription | undefined
}

// What the file of a folder imports. A model that its module does not export is an export of the service.
export function importsOfModel(
  { existing, name, plural }: ModelUse,
  folder: string,
  config: ProjectConfig,
): ModuleExports {
  const own = (part: string): string =>
    toSpecifier(
      folder,
      `${config.resourcesDir}/${plural}/${plural}.${part}${config.importExtension}`,
    )
  if (existing === undefined) {
    return { [own('model')]: [name, `type ${name.replace(/Model$/, '')}`] }
  }
  if (!isImported(existing)) return { [own('service')]: [name] }
  return { [toSpecifier(folder, toModule(existing, config))]: [toClause(existing, name)] }
}

// Whether the model itself is an export of its module.
export function isImported({ export: { is, member } }: ModelDescription): boolean {
  return is === 'model' && member === undefined
}

interface ModelCode {
  readonly imports: ModuleExports
  /** Expression for the model, or its name if that is imported. */
  readonly code: string
  /** A module that is imported because of what it does. */
  readonly registers: string
}

// How the service gets the model.
export function toModelCode(
  existing: ModelDescription,
  { folder, one }: { readonly folder: string; readonly one: string },
  config: ProjectConfig,
): ModelCode {
  const { export: found, model } = existing
  const specifier = toSpecifier(folder, toModule(existing, config))
  const name = found.is === 'schema' ? `${one}ModelSchema` : `${one}ModelExport`
  const exported = found.member === undefined ? name : `${name}.${found.member}`
  const imports = { [specifier]: [toClause(existing, name)] }
  if (found.is === 'registered') {
    return { imports: {}, code: `model(${quoted(model)})`, registers: quoted(specifier) }
  }
  const code = {
    schema: `model(${quoted(model)}, ${exported})`,
    function: `${exported}(${found.argument ?? 'mongoose'})`,
    model: exported,
  }
  return { imports, code: code[found.is], registers: '' }
}

function toClause({ export: { name } }: ModelDescription, local: string): string {
  return name === local ? local : `${name} as ${local}`
}

function toModule({ file }: ModelDescription, { importExtension }: ProjectConfig): string {
  return file.replace(/\.ts$/, importExtension).replace(/\.([mc])ts$/, '.$1js')
}

function toSpecifier(folder: string, file: string): string {
  const specifier = posix.relative(folder, file)
  return specifier.startsWith('.') ? specifier : `./${specifier}`
}
