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
  if (options.dryRun) return run(root, options, context)
  return withLock(root, () => run(root, options, context))
}

async function run(
  root: string,
  options: DestroyResourceOptions,
  context: CommandContext,
): Promise<Outcome> {
  const plan = await planDestruction(readProject(root), options.name)
  if (plan.edited.length > 0 && !options.force) await requireConsent(plan, options, context)
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

// A person can say yes; without one, or for a dry run, it needs --force.
async function requireConsent(
  plan: DestroyPlan,
  { dryRun }: DestroyResourceOptions,
  { interactive, progress }: CommandContext,
): Promise<void> {
  const details = plan.edited.map((path) => `  ${plan.recorded ? 'edited' : 'found '}     ${path}`)
  if (!interactive || dryRun) {
    const hint = 'delete all the same: --force'
    throw new CliError('CONFLICT', `${toReason(plan)}; nothing was deleted`, {
      details,
      hint,
      files: plan.edited,
    })
  }
  for (const line of ['', ...details, '']) progress(line)
  const { askYesNo } = await import('../terminal/prompts.ts')
  if (await askYesNo(`${toReason(plan)}. Delete all the same?`, false)) return
  throw new CliError('CANCELLED', 'cancelled; nothing was deleted')
}

function toReason({ edited, plural, recorded }: DestroyPlan): string {
  if (!recorded) return `the manifest does not know ${plural}, so edits cannot be told`
  return edited.length === 1
    ? '1 file was edited since'
    : `${edited.length} files were edited since`
}
