import { CliError } from '../errors/cli-error.ts'
import { type Field } from '../fields/field.ts'
import { type WantedFile } from '../files/change.ts'
import { manifestFile, parseManifest, printManifest } from '../project/manifest.ts'
import { type Project } from '../project/open-project.ts'
import { type KnownResource, requireRecord, toRecordedParts } from '../resource/find-record.ts'
import { planResource, type ResourcePlan } from '../resource/plan-resource.ts'
import { type Resource } from '../resource/resource.ts'
import { version } from '../package/own-package.ts'
import { apiCommand } from '../terminal/api-command.ts'
import { quoteForShell } from '../terminal/quote-for-shell.ts'
import { compareFiles, type EditedFile } from './compare-files.ts'
import {
  type NewMigrations,
  type ObsoleteMigrations,
  planMigrations,
  planObsoleteMigrations,
  type RemovedFields,
} from './plan-migrations.ts'

export interface FieldChange {
  /** The resource's name in any spelling. */
  readonly name: string
  /** Gives the field arguments after the change. */
  readonly change: (resource: KnownResource) => readonly string[]
  /** The present, after which migrations are named; without it there are none. */
  readonly now: Date | undefined
  /** False for `--no-format`. */
  readonly format: boolean
  readonly isCommitted: RemovedFields['isCommitted']
}

export interface FieldChangePlan {
  readonly project: Project
  /** The resource after the change. */
  readonly resource: Resource
  readonly added: readonly Field[]
  readonly removed: readonly Field[]
  readonly files: readonly WantedFile[]
  /** The generated texts, those of edited and deleted files included. */
  readonly generated: readonly string[]
  /** Files that someone has edited, which the others do not include. */
  readonly edited: readonly EditedFile[]
  /** Migrations that would be written. */
  readonly migrations: readonly string[]
}

export async function planFieldChange(
  project: Project,
  change: FieldChange,
): Promise<FieldChangePlan> {
  const known = requireRecord(project, change.name)
  const { record } = known
  requireOwnModel(known)
  const request = { name: record.name, only: toRecordedParts(known), format: change.format }
  const before = await planResource(project, { ...request, fields: record.fields })
  const after = await planResource(project, { ...request, fields: change.change(known) })
  const added = minus(after.resource.fields, before.resource.fields)
  const removed = minus(before.resource.fields, after.resource.fields)
  const { edited, files } = compareFiles(project.root, record, {
    before: before.files,
    after: after.files,
  })
  const { format, isCommitted, now } = change
  const gone = await planObsoleteMigrations(project, known, { isCommitted, removed })
  const kept = removed.filter(({ name }) => !gone.fields.includes(name))
  const created =
    now === undefined
      ? { files: [], hashes: {} }
      : await planMigrations(project, after.resource, { added, removed: kept, now, format })
  return {
    project,
    resource: after.resource,
    added,
    removed,
    files: [...files, ...created.files, ...gone.files, ...noteScripts(after, gone, created)],
    generated: after.files.flatMap((file) => (file.kind === 'write' ? [file.text] : [])),
    edited,
    migrations: created.files.map(({ path }) => path),
  }
}

// Its fields are those of a model that the generator did not write.
function requireOwnModel({ names, record }: KnownResource): void {
  if (record.existing === undefined) return
  const { file } = record.existing
  throw new CliError('USAGE', `${names.plural} has the fields of the model in ${file}`, {
    hint: `change the model, then: ${apiCommand} generate resource ${quoteForShell(record.name)} --from-model ${quoteForShell(file)}`,
  })
}

function minus(fields: readonly Field[], others: readonly Field[]): readonly Field[] {
  return fields.filter(({ name }) => !others.some((other) => other.name === name))
}

function noteScripts(
  { files, resource }: ResourcePlan,
  { forgotten }: ObsoleteMigrations,
  { hashes }: NewMigrations,
): readonly WantedFile[] {
  return files.flatMap((file): readonly WantedFile[] => {
    if (file.kind !== 'edit' || file.path !== manifestFile) return []
    const manifest = parseManifest(file.text, version)
    const { plural } = resource.names
    const record = manifest.resources[plural]
    if (record === undefined) return [file]
    const kept = Object.entries(record.files).filter(([path]) => !forgotten.includes(path))
    const changed = { ...record, files: { ...Object.fromEntries(kept), ...hashes } }
    const resources = { ...manifest.resources, [plural]: changed }
    return [{ ...file, text: printManifest({ ...manifest, resources }) }]
  })
}
