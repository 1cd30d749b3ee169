import { type AdoptOptions as PlanOptions, planAdoption } from '../adopt/plan-adoption.ts'
import { planUndo } from '../adopt/plan-undo.ts'
import { CliError } from '../errors/cli-error.ts'
import { applyChanges } from '../files/apply.ts'
import { withLock } from '../files/lock.ts'
import { planChanges } from '../files/plan.ts'
import { settleConflicts } from '../files/settle-conflicts.ts'
import { type CommandContext } from '../terminal/command-context.ts'
import { type Outcome } from '../terminal/reporter.ts'
import { createGit } from '../upgrade/run-git.ts'
import { describeAdoption, describePlan, describeUndo } from './describe-adoption.ts'

export interface AdoptOptions extends PlanOptions {
  /** Take an adoption back. */
  readonly undo?: boolean | undefined
  /** Write without asking. */
  readonly yes?: boolean | undefined
  /** Write nothing. */
  readonly dryRun?: boolean | undefined
}

export async function adopt(options: AdoptOptions, context: CommandContext): Promise<Outcome> {
  if (!options.dryRun && !options.yes && !context.interactive) {
    throw new CliError('USAGE', 'adopt asks before it writes, and this is not a terminal', {
      hint: 'to write: --yes    to see the plan: --dry-run',
    })
  }
  const run = options.undo ? undoAdoption : adoptApplication
  return options.dryRun ? run(options, context) : withLock(context.cwd, () => run(options, context))
}

async function adoptApplication(options: AdoptOptions, context: CommandContext): Promise<Outcome> {
  const root = context.cwd
  const adoption = await planAdoption(root, options)
  const changes = await settleConflicts(planChanges(root, adoption.files), {})
  if (options.dryRun) return describeAdoption(adoption, { changes, dryRun: true })
  await confirm(describePlan(adoption, changes), options, context)
  applyChanges(root, changes)
  return describeAdoption(adoption, { changes, dryRun: false })
}

async function undoAdoption(options: AdoptOptions, context: CommandContext): Promise<Outcome> {
  const root = context.cwd
  const plan = await planUndo(root, createGit(root, context.terminal.env))
  const changes = planChanges(root, plan.files)
  const outcome = describeUndo(plan, { changes, dryRun: options.dryRun === true })
  if (options.dryRun) return outcome
  await confirm(outcome.lines, options, context)
  applyChanges(root, changes)
  return outcome
}

async function confirm(
  lines: readonly string[],
  { yes }: AdoptOptions,
  { progress }: CommandContext,
): Promise<void> {
  if (yes) return
  for (const line of lines) progress(line)
  const { askYesNo } = await import('../terminal/prompts.ts')
  if (await askYesNo('Write this?')) return
  throw new CliError('CANCELLED', 'cancelled; nothing was written')
}
