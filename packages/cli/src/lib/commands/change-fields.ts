import { CliError } from '../errors/cli-error.ts'
import { isCommitted } from '../create/git.ts'
import { addToFields, removeFromFields } from '../fields-edit/field-list.ts'
import {
  type FieldChange,
  type FieldChangePlan,
  planFieldChange,
} from '../fields-edit/plan-field-change.ts'
import { applyChanges } from '../files/apply.ts'
import { withLock } from '../files/lock.ts'
import { planChanges } from '../files/plan.ts'
import { withBaseTexts } from '../project/base-texts.ts'
import { findProjectRoot, readProject } from '../project/open-project.ts'
import { type CommandContext } from '../terminal/command-context.ts'
import { type Outcome } from '../terminal/reporter.ts'
import { describeFieldChange } from './describe-field-change.ts'

export interface ChangeFieldsOptions {
  readonly resource: string
  /** Write nothing. */
  readonly dryRun?: boolean | undefined
  /** Overwrite files that were edited. */
  readonly force?: boolean | undefined
  /** Keep edited files and write the rest. */
  readonly skipEdited?: boolean | undefined
  /** False for `--no-migration`. */
  readonly migration?: boolean | undefined
  /** False for `--no-format`. */
  readonly format?: boolean | undefined
}

export async function addFields(
  options: ChangeFieldsOptions & { readonly fields: readonly string[] },
  context: CommandContext,
): Promise<Outcome> {
  return changeFields('add field', options, {
    context,
    change: (resource) => addToFields(resource, options.fields),
  })
}

export async function removeFields(
  options: ChangeFieldsOptions & { readonly names: readonly string[] },
  context: CommandContext,
): Promise<Outcome> {
  return changeFields('remove field', options, {
    context,
    change: (resource) => removeFromFields(resource, options.names),
  })
}

interface Run {
  readonly context: CommandContext
  readonly change: FieldChange['change']
}

async function changeFields(
  command: string,
  options: ChangeFieldsOptions,
  { change, context }: Run,
): Promise<Outcome> {
  const root = findProjectRoot(context.cwd)
  const { dryRun = false, force = false, skipEdited = false } = options
  const run = async (): Promise<Outcome> => {
    const plan = await planFieldChange(readProject(root), {
      name: options.resource,
      change,
      now: options.migration === false ? undefined : new Date(),
      format: options.format !== false,
      isCommitted: (path) => isCommitted(root, path, context.terminal.env),
    })
    if (plan.edited.length > 0 && !force && !skipEdited) throw editedError(plan)
    const overwritten = force ? plan.edited.map(({ wanted }) => wanted) : []
    const files = withBaseTexts(root, [...overwritten, ...plan.files], plan.generated)
    const changes = planChanges(root, files)
    if (!dryRun) applyChanges(root, changes)
    const toDo = force ? [] : plan.edited
    return describeFieldChange(plan, changes, { command, dryRun, toDo })
  }
  return dryRun ? run() : withLock(root, run)
}

function editedError({ edited }: FieldChangePlan): CliError {
  const what = edited.length === 1 ? '1 file was' : `${edited.length} files were`
  return new CliError('CONFLICT', `${what} edited; nothing was written`, {
    details: edited.flatMap(({ diff }) => [...diff, '']),
    hint: 'change these lines by hand and write the rest with --skip-edited, or discard your edits with --force',
    files: edited.map(({ path }) => path),
  })
}
