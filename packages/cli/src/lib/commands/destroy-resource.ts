import { CliError } from '../errors.ts'
import { applyChanges } from '../files/apply.ts'
import { isPending } from '../files/change.ts'
import { withLock } from '../files/lock.ts'
import { planChanges } from '../files/plan.ts'
import { findProjectRoot, readProject } from '../project/open-project.ts'
import { type DestroyPlan, planDestruction } from '../resource/plan-destruction.ts'
import { type CommandContext } from '../terminal/command-context.ts'
import { describeChanges, toJsonFiles } from '../terminal/describe-changes.ts'
import { type Outcome } from '../terminal/reporter.ts'

/** Options of `api destroy resource`. */
export interface DestroyResourceOptions {
  readonly name: string
  /** Write nothing. */
  readonly dryRun?: boolean | undefined
  /** Delete files that were edited, too. */
  readonly force?: boolean | undefined
}

/**
 * Undoes a generate: unchanged files go, and the two lines in the registry.
 *
 * @param options what to undo
 * @param context the world
 * @returns what was done
 * @throws CliError `CONFLICT` when a file was edited since and `--force` is not given
 */
export async function destroyResource(
  options: DestroyResourceOptions,
  context: CommandContext,
): Promise<Outcome> {
  const root = findProjectRoot(context.cwd)
  if (options.dryRun) return run(root, options)
  return withLock(root, () => run(root, options))
}

async function run(root: string, options: DestroyResourceOptions): Promise<Outcome> {
  const plan = await planDestruction(readProject(root), options.name)
  if (plan.edited.length > 0 && !options.force) throw editedError(plan)
  const changes = planChanges(root, plan.files)
  if (!options.dryRun) applyChanges(root, changes)
  const pending = changes.some(isPending)
  return {
    json: {
      command: 'destroy resource',
      dryRun: options.dryRun === true,
      changed: pending,
      name: plan.plural,
      files: toJsonFiles(changes),
    },
    lines: [
      ...(options.dryRun ? ['Dry run: nothing was written.'] : []),
      '',
      ...describeChanges(changes),
      '',
    ],
    notes: plan.referredBy.map((name) => ({
      kind: 'note',
      code: 'STILL_REFERRED_TO',
      message: `the resource "${name}" refers to model ${plan.model}`,
    })),
  }
}

function editedError({ edited }: DestroyPlan): CliError {
  const what = edited.length === 1 ? '1 file was' : `${edited.length} files were`
  return new CliError('CONFLICT', `${what} edited since; nothing was deleted`, {
    details: edited.map((path) => `  edited     ${path}`),
    hint: 'delete all the same: --force',
    files: edited,
  })
}
