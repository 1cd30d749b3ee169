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
  return { [own(existing ? 'service' : 'model')]: [name, `type ${name.replace(/Model$/, '')}`] }
}

interface ModelCode {
  readonly imports: ModuleExports
  /** A module that is imported because of what it does. */
  readonly registers: string
  /** A statement that registers the model. */
  readonly register: string
}

// How the service makes Mongoose know the model. The types of its module may lack what plugins and options add, so that
// the model is not imported by its name.
export function toModelCode(
  existing: ModelDescription,
  { folder, one }: { readonly folder: string; readonly one: string },
  config: ProjectConfig,
): ModelCode {
  const { export: found, model } = existing
  const specifier = toSpecifier(folder, toModule(existing, config))
  const name = found.is === 'schema' ? `${one}ModelSchema` : `${one}ModelFactory`
  const exported = found.member === undefined ? name : `${name}.${found.member}`
  const imports = { [specifier]: [toClause(existing, name)] }
  if (found.is === 'schema') {
    return { imports, registers: '', register: `model(${quoted(model)}, ${exported})` }
  }
  if (found.is === 'function') {
    return { imports, registers: '', register: `${exported}(${found.argument ?? 'mongoose'})` }
  }
  return { imports: {}, registers: quoted(specifier), register: '' }
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
