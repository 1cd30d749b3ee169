import { type EditedFile } from '../fields-edit/compare-files.ts'
import { type FieldChangePlan } from '../fields-edit/plan-field-change.ts'
import { type Field } from '../fields/field.ts'
import { type Change } from '../files/change.ts'
import { apiCommand } from '../terminal/api-command.ts'
import { describeChanges, formatDiffs, toJsonFiles } from '../terminal/describe-changes.ts'
import { type Note, type Outcome } from '../terminal/reporter.ts'
import { noteMissingModels } from './describe-resource.ts'
import { noteTests } from './note-tests.ts'

export interface FieldChangeRun {
  /** `add field` or `remove field`. */
  readonly command: string
  readonly dryRun: boolean
  /** Edited files that were not changed. */
  readonly toDo: readonly EditedFile[]
}

export function describeFieldChange(
  plan: FieldChangePlan,
  changes: readonly Change[],
  run: FieldChangeRun,
): Outcome {
  const { command, dryRun, toDo } = run
  const { added, removed, resource } = plan
  const { names } = resource
  return {
    json: {
      command,
      dryRun,
      resource: names.plural,
      added: added.map(({ name }) => name),
      removed: removed.map(({ name }) => name),
      files: toJsonFiles(changes),
      byHand: toDo.map(({ diff, path }) => ({ path, diff })),
    },
    lines: [
      ...(dryRun ? ['Dry run: nothing was written.'] : []),
      '',
      ...describeChanges(changes),
      ...toDo.map(({ path }) => `  keep       ${path}`),
      ...(dryRun ? formatDiffs(changes, false) : []),
      '',
      ...toLinesByHand(toDo),
      `  ${names.model} now has ${resource.fields.map(({ name }) => name).join(', ')}`,
      '',
    ],
    notes: [
      ...noteMissingModels(resource),
      ...removed.map((field) => noteStoredValues(plan, field)),
      ...(removed.some(({ unique }) => unique) && plan.migrations.length === 0
        ? [noteUniqueIndex(plan)]
        : []),
      ...(plan.migrations.length > 0 ? [noteMigrations(plan.migrations)] : []),
      ...noteTests(plan.project, names.plural),
    ],
  }
}

function toLinesByHand(toDo: readonly EditedFile[]): readonly string[] {
  if (toDo.length === 0) return []
  return ['  to change by hand:', '', ...toDo.flatMap(({ diff }) => [...diff, ''])]
}

function noteMigrations(paths: readonly string[]): Note {
  return {
    kind: 'next',
    code: 'MIGRATION',
    message: `check ${paths.length === 1 ? 'the migration' : 'the migrations'} and apply ${paths.length === 1 ? 'it' : 'them'}:`,
    commands: [`${apiCommand} migrate plan`, `${apiCommand} migrate up`],
  }
}

function noteStoredValues({ resource }: FieldChangePlan, { name }: Field): Note {
  const { plural } = resource.names
  return {
    kind: 'note',
    code: 'STORED_VALUES',
    message: `stored ${plural} keep their ${name}, which the previous version still needs; to remove it in the next version:`,
    commands: [`${apiCommand} migrate create remove-${name}-from-${plural}`],
  }
}

function noteUniqueIndex({ removed, resource }: FieldChangePlan): Note {
  const fields = removed.filter(({ unique }) => unique).map(({ name }) => name)
  return {
    kind: 'warning',
    code: 'UNIQUE_INDEX',
    message: `databases keep the unique index on ${fields.join(', ')} and reject a second document without a value; drop the index by its name, which mongosh lists:`,
    commands: [`db.${resource.names.collection}.getIndexes()`],
  }
}
