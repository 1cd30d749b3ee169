import { join, posix } from 'node:path'
import { print } from '../code/code.ts'
import { type Field } from '../fields/field.ts'
import { loadTemplate, renderTemplate } from '../files/render.ts'
import { type ProjectConfig } from '../project/config.ts'
import { type Project } from '../project/open-project.ts'
import { type RenderedText } from '../resource/render-resource.ts'
import { type Resource } from '../resource/resource.ts'
import { toTemplateNames } from '../resource/template-data.ts'
import { toInitialCode } from './initial-code.ts'

/**
 * Tells whether stored documents need a value for a new field: clients are promised one.
 *
 * @param field the field
 * @returns true when it is required, or has a default
 */
export function needsMigration(field: Field): boolean {
  return field.required || field.array || field.default !== undefined
}

/**
 * Renders the script that gives stored documents a value for a new field.
 *
 * @param project the project
 * @param resource the resource with the field
 * @param migration the field, and when the script is made
 * @returns the file, not yet formatted
 */
export async function renderMigration(
  project: Project,
  resource: Resource,
  migration: { readonly field: Field; readonly now: Date },
): Promise<RenderedText> {
  const { field, now } = migration
  const { config, root } = project
  const code = toInitialCode(field)
  const varies = code.flat.includes('count')
  const name = varies ? 'fill-unique-field' : 'fill-field'
  const template = loadTemplate(`migration/${name}.ts.hbs`, join(root, config.templates))
  const path = toMigrationPath(config, resource, { field: field.name, stamp: toStamp(now) })
  const folder = posix.dirname(path)
  const { plural } = resource.names
  const model = posix.join(config.resourcesDir, plural, `${plural}.model${config.importExtension}`)
  const text = await renderTemplate(template, {
    names: toTemplateNames(resource),
    field: field.name,
    value: varies ? print(code, '  ', 'return '.length) : toBrokenValue(field),
    needsTypes: code.flat.includes('Types.'),
    appModule: posix.relative(folder, posix.join(config.srcDir, `app${config.importExtension}`)),
    modelModule: posix.relative(folder, model),
    path,
    compiledPath: posix.join('dist', posix.relative(config.srcDir, path)).replace(/ts$/, 'js'),
  })
  return { path, text, own: template.own }
}

function toMigrationPath(
  config: ProjectConfig,
  { names }: Resource,
  { field, stamp }: { readonly field: string; readonly stamp: string },
): string {
  const file = `${stamp}-add-${field}-to-${names.plural}.ts`
  return posix.join(config.srcDir, 'migrations', file)
}

// 20261121190301, in UTC: the scripts stand in the order they are to be run in.
function toStamp(now: Date): string {
  return now.toISOString().replaceAll(/\D/g, '').slice(0, 14)
}

function toBrokenValue(field: Field): string {
  return print(toInitialCode(field), '    ', `{ ${field.name}:  },`.length)
}
