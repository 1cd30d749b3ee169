import { applyChanges } from '../files/apply.ts'
import { type Change } from '../files/change.ts'
import { withLock } from '../files/lock.ts'
import { planChanges } from '../files/plan.ts'
import { type ConflictPolicy, settleConflicts } from '../files/settle-conflicts.ts'
import { withBaseTexts } from '../project/base-texts.ts'
import { findProjectRoot, readProject } from '../project/open-project.ts'
import { planResource, type ResourcePlan } from '../resource/plan-resource.ts'
import { type GenerateRequest } from '../resource/resolve-request.ts'
import { type CommandContext } from '../terminal/command-context.ts'
import { type Outcome } from '../terminal/reporter.ts'
import { describeResource } from './describe-resource.ts'

export interface GenerateResourceOptions extends GenerateRequest {
  /** Write nothing. */
  readonly dryRun?: boolean | undefined
  /** Write nothing; exit 1 when something would change. */
  readonly check?: boolean | undefined
  /** Overwrite files that differ. */
  readonly force?: boolean | undefined
  /** Keep files that differ. */
  readonly skipExisting?: boolean | undefined
}

export async function generateResource(
  options: GenerateResourceOptions,
  context: CommandContext,
): Promise<Outcome> {
  const root = findProjectRoot(context.cwd)
  const pretend = options.dryRun === true || options.check === true
  if (pretend) {
    const { changes, plan } = await prepare(root, options)
    return describeResource(plan, changes, { ...options, verbose: context.flags.verbose })
  }
  return withLock(root, async () => {
    const { changes, plan } = await prepare(root, options)
    const settled = await settleConflicts(changes, await choosePolicy(options, context))
    applyChanges(root, settled)
    return describeResource(plan, settled, { ...options, verbose: context.flags.verbose })
  })
}

interface Prepared {
  readonly plan: ResourcePlan
  readonly changes: readonly Change[]
}

async function prepare(root: string, options: GenerateResourceOptions): Promise<Prepared> {
  const plan = await planResource(readProject(root), options)
  return { plan, changes: planChanges(root, withBaseTexts(root, plan.files)) }
}

async function choosePolicy(
  options: GenerateResourceOptions,
  context: CommandContext,
): Promise<ConflictPolicy> {
  const { force, skipExisting } = options
  if (!context.interactive || force || skipExisting) return { force, skipExisting }
  const { askAboutConflict } = await import('../terminal/prompts.ts')
  return { ask: askAboutConflict() }
}
