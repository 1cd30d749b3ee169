import { catalogue } from '../errors/cli-error.ts'
import { version } from '../package/own-package.ts'
import { type Change, isPending } from '../files/change.ts'
import { findOutdatedTemplates } from '../files/ejected-template.ts'
import { join } from 'node:path'
import { type Project } from '../project/open-project.ts'
import { count } from '../terminal/count.ts'
import { formatDiffs } from '../terminal/describe-changes.ts'
import { type Note, type Outcome } from '../terminal/reporter.ts'
import { type UpgradePlan } from '../upgrade/plan-upgrade.ts'
import { notesBetween } from '../upgrade/releases.ts'
import { type UpgradedFile } from '../upgrade/upgrade-entry.ts'

interface UpgradeRun {
  readonly changes: readonly Change[]
  readonly dryRun: boolean
  /** Version that wrote the project. */
  readonly from: string
  readonly verbose?: boolean | undefined
}

export function describeUpgrade(
  project: Project,
  plan: UpgradePlan,
  { changes, dryRun, from, verbose }: UpgradeRun,
): Outcome {
  const shown = plan.upgraded.filter(({ action }) => action !== 'unchanged')
  const conflicts = shown.filter(({ action }) => action === 'conflict')
  const changed = changes.some(isPending)
  const done = shown.length === 0
  return {
    exit: conflicts.length > 0 ? catalogue.CONFLICT : 0,
    json: {
      command: 'upgrade',
      dryRun,
      changed,
      from,
      to: version,
      files: shown,
    },
    lines: [
      ...(dryRun ? ['Dry run: nothing was written.'] : []),
      '',
      ...shown.map(formatFile),
      ...(verbose ? formatDiffs(changes, true) : []),
      ...(done ? [changed ? '  No generated file changes.' : '  Nothing to do.'] : []),
      '',
    ],
    notes: [
      ...noteConflicts(conflicts, dryRun),
      ...noteBases(plan),
      ...noteTemplates(project),
      ...notesBetween(from, version).map((message): Note => ({ kind: 'note', message })),
      ...(done || dryRun ? [] : [noteNext(project)]),
    ],
  }
}

function formatFile({ action, conflicts, detail, path }: UpgradedFile): string {
  const more = conflicts > 0 ? count(conflicts, 'conflict') : detail
  return `  ${action.padEnd(10)} ${path}${more === undefined ? '' : `   (${more})`}`
}

function noteConflicts(conflicts: readonly UpgradedFile[], dryRun: boolean): readonly Note[] {
  if (conflicts.length === 0) return []
  const files = count(conflicts.length, 'file')
  const message = dryRun
    ? `${files} would have conflicts; --ours keeps your lines, --theirs takes the new ones`
    : `resolve the conflicts between <<<<<<< and >>>>>>> in ${files}, or undo the upgrade:`
  const commands = dryRun ? undefined : ['git restore . && git clean -d --interactive']
  return [{ kind: 'warning', code: 'CONFLICTS', message, commands }]
}

function noteBases({ withoutBase }: UpgradePlan): readonly Note[] {
  if (withoutBase.length === 0) return []
  const message = `the generated text of ${withoutBase.length} files is not known, so all their differences are conflicts; if a commit has it, name the commit:`
  return [
    {
      kind: 'note',
      code: 'NO_BASE',
      message,
      commands: ['npx api upgrade --base <commit>'],
    },
  ]
}

function noteTemplates({ config, root }: Project): readonly Note[] {
  const outdated = findOutdatedTemplates(join(root, config.templates))
  if (outdated.length === 0) return []
  return [
    {
      kind: 'warning',
      code: 'OWN_TEMPLATES',
      message: `your own templates are older than the built-in ones, and files were generated from yours: ${outdated.join(', ')}`,
    },
  ]
}

function noteNext({ manifest }: Project): Note {
  const pm = (manifest.project?.pm ?? 'npm').replace(/-.*/, '')
  return {
    kind: 'next',
    message: 'look at the changes with git diff, then:',
    commands: [`${pm} install && ${pm} run check`],
  }
}
