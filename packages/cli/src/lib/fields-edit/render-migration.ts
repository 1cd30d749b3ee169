import { posix } from 'node:path'
import { toInitialCode } from '../fields/field-code.ts'
import { type Field } from '../fields/field.ts'
import { addExamples } from '../fields/match-examples.ts'
import { toMigrationFolder } from '../project/migration-files.ts'
import { type Project } from '../project/open-project.ts'
import { importsOfMigration } from '../resource/imports.ts'
import { type RenderedFile, renderFile } from '../resource/render-resource.ts'
import { type Resource } from '../resource/resource.ts'

// Clients are promised a value for these fields, so stored documents need one.
export function needsValue(field: Field): boolean {
  return field.required || field.array || field.default !== undefined
}

export interface FieldMigration {
  readonly field: Field
  /** Beginning of its name: `20261121190301`. */
  readonly time: string
}

// Renders the migration that gives stored documents a value for a new field.
export async function renderFilling(
  project: Project,
  resource: Resource,
  { field: given, time }: FieldMigration,
): Promise<RenderedFile> {
  const [field = given] = await addExamples([given])
  const value = toInitialCode(field)
  const template = value.includes('count') ? 'fill-unique-field' : 'fill-field'
  const name = `${time}-add-${field.name}-to-${resource.names.plural}`
  return render(project, resource, { name, template, data: { field: field.name, value } })
}

// Renders the migration that drops the unique index of a field that was removed: without it, a second
// document could not be stored.
export async function renderDroppedIndex(
  project: Project,
  resource: Resource,
  { field, time }: FieldMigration,
): Promise<RenderedFile> {
  const name = `${time}-drop-index-${field.name}-of-${resource.names.plural}`
  const options = toIndexOptions(field, resource)
  return render(project, resource, {
    name,
    template: 'drop-index',
    data: { field: field.name, options },
  })
}

// The type of the field in the schema.
function toIndexOptions(field: Field, { softDelete }: Resource): string {
  const isSparse = field.sparse || (!field.required && field.default === undefined)
  if (!softDelete) return isSparse ? 'unique: true, sparse: true' : 'unique: true'
  const present = isSparse ? `${field.name}: { $exists: true }, ` : ''
  return `unique: true, partialFilterExpression: { ${present}deletedAt: null }`
}

interface Rendering {
  readonly name: string
  readonly template: string
  readonly data: object
}

async function render(
  project: Project,
  resource: Resource,
  { data, name, template }: Rendering,
): Promise<RenderedFile> {
  const folder = toMigrationFolder(project)
  const imports = importsOfMigration(resource, folder, project.config)
  return {
    path: posix.join(folder, name + project.config.extension),
    text: await renderFile(project, [`migration/${template}.ts.hbs`], {
      data: { names: resource.names, ...data },
      imports,
    }),
  }
}
