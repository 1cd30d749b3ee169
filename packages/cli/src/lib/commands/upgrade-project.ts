import { CliError } from '../errors/cli-error.ts'
import { version } from '../package/own-package.ts'
import { applyChanges } from '../files/apply.ts'
import { withLock } from '../files/lock.ts'
import { planChanges } from '../files/plan.ts'
import { findProjectRoot, readProject } from '../project/open-project.ts'
import { type CommandContext } from '../terminal/command-context.ts'
import { type Outcome } from '../terminal/reporter.ts'
import { type Scope } from '../upgrade/list-entries.ts'
import { planUpgrade, type UpgradePlan } from '../upgrade/plan-upgrade.ts'
import { compareVersions } from '../upgrade/releases.ts'
import { requireCleanTree } from '../upgrade/require-clean-tree.ts'
import { createGit } from '../upgrade/run-git.ts'
import { describeUpgrade } from './describe-upgrade.ts'

export interface UpgradeOptions {
  /** Must be the version of this command. */
  readonly to?: string | undefined
  readonly only?: Scope | undefined
  /** A commit that holds the files as they were generated. */
  readonly base?: string | undefined
  /** Resolve conflicts for the user's side. */
  readonly ours?: boolean | undefined
  /** Resolve conflicts for the generator's side. */
  readonly theirs?: boolean | undefined
  /** Write nothing if there is a conflict. */
  readonly stop?: boolean | undefined
  /** Upgrade although there are uncommitted changes. */
  readonly force?: boolean | undefined
  /** Write nothing. */
  readonly dryRun?: boolean | undefined
}

export async function upgradeProject(
  options: UpgradeOptions,
  context: CommandContext,
): Promise<Outcome> {
  requireOneResolution(options)
  requireOwnVersion(options.to)
  const root = findProjectRoot(context.cwd)
  const { dryRun = false } = options
  const run = async (): Promise<Outcome> => {
    const project = readProject(root)
    const from = project.manifest.project?.cli ?? project.manifest.cli
    requireOlder(from)
    const git = createGit(root, context.terminal.env)
    if (!options.force && !dryRun) await requireCleanTree(git)
    const plan = await planUpgrade(project, {
      only: options.only,
      base: options.base,
      merge: {
        git,
        labels: ['yours', `create-api ${from}`, `create-api ${version}`],
        favor: toFavor(options),
      },
    })
    if (options.stop) requireNoConflicts(plan)
    const changes = planChanges(root, plan.files)
    if (!dryRun) applyChanges(root, changes)
    return describeUpgrade(project, plan, { changes, dryRun, from, verbose: context.flags.verbose })
  }
  return dryRun ? run() : withLock(root, run)
}

function requireOneResolution({ ours, stop, theirs }: UpgradeOptions): void {
  if ([ours, theirs, stop].filter((flag) => flag === true).length <= 1) return
  throw new CliError('USAGE', '--ours, --theirs and --stop exclude each other')
}

function requireOwnVersion(to: string | undefined): void {
  if (to === undefined || to === version) return
  if (!/^\d+\.\d+\.\d+(-[\w.]+)?$/.test(to)) {
    throw new CliError('USAGE', `--to ${to} is not a version`, { hint: `this is ${version}` })
  }
  throw new CliError('USAGE', `this is create-api ${version}, which cannot write ${to}`, {
    hint: `that version can: npx --package create-api@${to} api upgrade`,
  })
}

function requireOlder(from: string): void {
  if (compareVersions(from, version) <= 0) return
  throw new CliError('USAGE', `create-api ${from} wrote this project, and this is ${version}`, {
    hint: `upgrade with that version or a later one: npx --package create-api@${from} api upgrade`,
  })
}

function toFavor({ ours, theirs }: UpgradeOptions): 'ours' | 'theirs' | undefined {
  if (ours) return 'ours'
  return theirs ? 'theirs' : undefined
}

function requireNoConflicts({ upgraded }: UpgradePlan): void {
  const conflicts = upgraded.filter(({ action }) => action === 'conflict')
  if (conflicts.length === 0) return
  const what = conflicts.length === 1 ? '1 file has' : `${conflicts.length} files have`
  throw new CliError('CONFLICT', `${what} conflicts; nothing was written`, {
    details: conflicts.map(({ path }) => `  conflict   ${path}`),
    hint: 'to mark them in the files: omit --stop    to keep your lines: --ours    to take the new ones: --theirs',
    files: conflicts.map(({ path }) => path),
  })
}
