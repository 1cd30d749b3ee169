import { join } from 'node:path'
import { type Field } from '../fields/field.ts'
import { type WantedFile } from '../files/change.ts'
import { readText } from '../files/plan.ts'
import { hashText } from '../files/hash-text.ts'
import { type FileHashes } from '../project/manifest.ts'
import { type Project } from '../project/open-project.ts'
import { type KnownResource } from '../resource/find-record.ts'
import { formatRendered } from '../resource/format-rendered.ts'
import { type Resource } from '../resource/resource.ts'
import { needsMigration, renderMigration } from './render-migration.ts'

export interface NewMigrations {
  readonly files: readonly WantedFile[]
  /** For the manifest, by path. */
  readonly hashes: Readonly<Record<string, FileHashes>>
}

export interface ObsoleteMigrations {
  readonly files: readonly WantedFile[]
  /** Paths that the manifest need no longer know. */
  readonly forgotten: readonly string[]
}

export async function planMigrations(
  project: Project,
  resource: Resource,
  options: { readonly fields: readonly Field[]; readonly now: Date; readonly format: boolean },
): Promise<NewMigrations> {
  const { now } = options
  const fields = options.fields.filter(needsMigration)
  const rendered = await Promise.all(
    fields.map((field) => renderMigration(project, resource, { field, now })),
  )
  const texts = await formatRendered(project, rendered, {
    known: {},
    read: () => undefined,
    format: options.format,
  })
  const files = rendered.map(({ path }, index) => ({ path, text: texts[index] ?? '' }))
  const hashes = files.map(({ path, text }, index) => [
    path,
    { rendered: hashText(rendered[index]?.text ?? ''), written: hashText(text) },
  ])
  return {
    files: files.map((file) => ({ kind: 'write', ...file })),
    hashes: Object.fromEntries(hashes),
  }
}

export function planObsoleteMigrations(
  project: Project,
  resource: KnownResource,
  fields: readonly Field[],
): ObsoleteMigrations {
  const { plural } = resource.names
  const { files } = resource.record
  const paths = Object.keys(files)
  const endings = fields.map(({ name }) => `-add-${name}-to-${plural}.ts`)
  const forgotten = paths.filter((path) => endings.some((ending) => path.endsWith(ending)))
  const unedited = forgotten.filter((path) => {
    const text = readText(join(project.root, path))
    return text !== undefined && hashText(text) === files[path]?.written
  })
  return { files: unedited.map((path) => ({ kind: 'delete', path })), forgotten }
}
