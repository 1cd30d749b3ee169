import { posix } from 'node:path'
import { toInitialCode } from '../fields/field-code.ts'
import { type Field } from '../fields/field.ts'
import { addExamples } from '../fields/match-examples.ts'
import { type ProjectConfig } from '../project/config.ts'
import { type Project } from '../project/open-project.ts'
import { importsOfMigration } from '../resource/imports.ts'
import { type RenderedFile, renderFile } from '../resource/render-resource.ts'
import { type Resource } from '../resource/resource.ts'

// Clients are promised a value for these fields, so stored documents need one.
export function needsMigration(field: Field): boolean {
  return field.required || field.array || field.default !== undefined
}

// Renders the script that gives stored documents a value for a new field.
export async function renderMigration(
  project: Project,
  resource: Resource,
  migration: { readonly field: Field; readonly now: Date },
): Promise<RenderedFile> {
  const { config } = project
  const [field = migration.field] = await addExamples([migration.field])
  const value = toInitialCode(field)
  const template = value.includes('count') ? 'fill-unique-field' : 'fill-field'
  const path = toPath(config, resource, { field: field.name, stamp: toStamp(migration.now) })
  const data = {
    names: resource.names,
    field: field.name,
    value,
    path,
    compiledPath: posix.join('dist', posix.relative(config.srcDir, path)).replace(/ts$/, 'js'),
  }
  const imports = importsOfMigration(resource, posix.dirname(path), config)
  return {
    path,
    text: await renderFile(project, [`migration/${template}.ts.hbs`], { data, imports }),
  }
}

function toPath(
  config: ProjectConfig,
  { names }: Resource,
  { field, stamp }: { readonly field: string; readonly stamp: string },
): string {
  const file = `${stamp}-add-${field}-to-${names.plural}.ts`
  return posix.join(config.srcDir, 'migrations', file)
}

// 20261121190301, in UTC: sorted by name, the scripts are in the order to run them in.
function toStamp(now: Date): string {
  return now.toISOString().replaceAll(/\D/g, '').slice(0, 14)
}
