import { join } from 'node:path'
import { type Field } from '../fields/field.ts'
import { type WantedFile } from '../files/change.ts'
import { readText } from '../files/plan.ts'
import { hashText } from '../files/hash-text.ts'
import { type FileHashes } from '../project/manifest.ts'
import { toMigrationTimes } from '../project/migration-files.ts'
import { type Project } from '../project/open-project.ts'
import { type KnownResource } from '../resource/find-record.ts'
import { formatRendered, hashRendered } from '../resource/format-rendered.ts'
import { type Resource } from '../resource/resource.ts'
import {
  type FieldMigration,
  needsValue,
  renderDroppedIndex,
  renderFilling,
} from './render-migration.ts'

export interface NewMigrations {
  readonly files: readonly WantedFile[]
  /** For the manifest, by path. */
  readonly hashes: Readonly<Record<string, FileHashes>>
}

export interface ObsoleteMigrations {
  readonly files: readonly WantedFile[]
  /** Paths that the manifest need no longer know. */
  readonly forgotten: readonly string[]
  /** Names of the fields whose migration is deleted. */
  readonly fields: readonly string[]
}

export interface RemovedFields {
  readonly removed: readonly Field[]
  /** Whether other databases than that of this person may have a migration. */
  readonly isCommitted: (path: string) => Promise<boolean>
}

export interface FieldsToMigrate {
  readonly added: readonly Field[]
  /** Without those whose migration goes, too. */
  readonly removed: readonly Field[]
}

export async function planMigrations(
  project: Project,
  resource: Resource,
  options: FieldsToMigrate & { readonly now: Date; readonly format: boolean },
): Promise<NewMigrations> {
  const added = options.added.filter(needsValue)
  const removed = options.removed.filter(({ unique }) => unique)
  const times = toMigrationTimes(project, options.now, added.length + removed.length)
  const withTime = (field: Field, index: number): FieldMigration => ({
    field,
    time: times[index] ?? '',
  })
  const rendered = await Promise.all([
    ...added.map((field, index) => renderFilling(project, resource, withTime(field, index))),
    ...removed.map((field, index) =>
      renderDroppedIndex(project, resource, withTime(field, added.length + index)),
    ),
  ])
  const texts = await formatRendered(project, rendered, { format: options.format })
  return {
    files: rendered.map(({ path }, index) => ({ kind: 'write', path, text: texts[index] ?? '' })),
    hashes: hashRendered(rendered, texts),
  }
}

export async function planObsoleteMigrations(
  project: Project,
  { names, record }: KnownResource,
  { isCommitted, removed }: RemovedFields,
): Promise<ObsoleteMigrations> {
  const toAdded = ({ name }: Field): string | undefined =>
    Object.keys(record.files).find((path) => path.includes(`-add-${name}-to-${names.plural}.`))
  const forgotten = removed.flatMap((field) => toAdded(field) ?? [])
  const obsolete: string[] = []
  for (const path of forgotten) {
    const text = readText(join(project.root, path))
    const isUnedited = text !== undefined && hashText(text) === record.files[path]?.written
    if (isUnedited && !(await isCommitted(path))) obsolete.push(path)
  }
  return {
    files: obsolete.map((path) => ({ kind: 'delete', path })),
    forgotten,
    fields: removed
      .filter((field) => obsolete.includes(toAdded(field) ?? ''))
      .map(({ name }) => name),
  }
}
