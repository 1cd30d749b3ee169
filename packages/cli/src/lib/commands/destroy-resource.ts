import { applyChanges } from '../files/apply.ts'
import { isPending } from '../files/change.ts'
import { withLock } from '../files/lock.ts'
import { planChanges } from '../files/plan.ts'
import { withBaseTexts } from '../project/base-texts.ts'
import { findProjectRoot, readProject } from '../project/open-project.ts'
import { type DestroyPlan, planDestruction } from '../resource/plan-destruction.ts'
import { type CommandContext } from '../terminal/command-context.ts'
import { describeChanges, toJsonFiles } from '../terminal/describe-changes.ts'
import { type Outcome } from '../terminal/reporter.ts'
import { requireConsent } from './require-consent.ts'

export interface DestroyResourceOptions {
  readonly name: string
  /** Write nothing. */
  readonly dryRun?: boolean | undefined
  /** Delete files that were edited, too. */
  readonly force?: boolean | undefined
}

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
  const { edited, recorded } = plan
  const consent = { edited, summary: describeEdits(plan), word: recorded ? 'edited' : 'found' }
  await requireConsent(consent, options, context)
  const changes = planChanges(root, withBaseTexts(root, plan.files))
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

function describeEdits({ edited, plural, recorded }: DestroyPlan): string {
  if (!recorded) return `${plural} is not in the manifest, so edits cannot be detected`
  return edited.length === 1 ? '1 file was edited' : `${edited.length} files were edited`
}
