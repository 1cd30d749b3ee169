import { type GitResult } from '../create/git.ts'
import { type Scaffold } from '../create/write-project.ts'
import { isPending } from '../files/change.ts'
import { describeChanges, toJsonFiles } from '../terminal/describe-changes.ts'
import { quoteForShell } from '../terminal/quote-for-shell.ts'
import { type Note, type Outcome } from '../terminal/reporter.ts'
import { packageName, version } from '../version.ts'
import { type ProjectPlan } from './create-project.ts'

/** What became of a project. */
export interface Finished {
  readonly scaffold: Scaffold
  /** Time the files took. */
  readonly seconds: number
  readonly git?: GitResult | undefined
  readonly installSeconds?: number | undefined
}

/**
 * Says what was made and how to go on.
 *
 * @param plan what was asked for
 * @param finished what was done
 * @returns the outcome for the reporter
 */
export function describeProject(plan: ProjectPlan, finished: Finished): Outcome {
  const { changes } = finished.scaffold
  const count = changes.filter(isPending).length
  return {
    json: {
      command: packageName,
      dryRun: plan.dryRun === true,
      name: plan.name,
      path: plan.target,
      packageManager: plan.manager.name,
      files: toJsonFiles(changes),
      git: finished.git?.status ?? 'skipped',
      installed: finished.installSeconds !== undefined,
    },
    lines: plan.dryRun
      ? ['Dry run: nothing was written.', '', ...describeChanges(changes), '']
      : ['', ...toSummary(plan, finished, count), '', ...toNextSteps(plan, finished), ''],
    notes: toNotes(plan, finished.scaffold),
  }
}

function toSummary(plan: ProjectPlan, finished: Finished, count: number): readonly string[] {
  const lines = [`  ${plan.name} created in ${finished.seconds.toFixed(1)} s (${count} files)`]
  if (finished.git !== undefined) lines.push(`  git        ${describeGit(finished.git)}`)
  if (finished.installSeconds !== undefined) {
    const where = plan.workspace === undefined ? '' : ` at the workspace root ${plan.workspace}`
    lines.push(
      `  install    ${plan.manager.name} in ${finished.installSeconds.toFixed(0)} s${where}`,
    )
  }
  const kept = finished.scaffold.changes.filter(({ action }) => action === 'keep')
  return [...lines, ...kept.map(({ path }) => `  kept       ${path}`)]
}

function describeGit(git: GitResult): string {
  if (git.status === 'committed') {
    return `initialised, first commit "Initial commit from ${packageName} ${version}"`
  }
  return git.status === 'initialised' ? `initialised, ${git.reason}` : `left out: ${git.reason}`
}

function toNextSteps(plan: ProjectPlan, finished: Finished): readonly string[] {
  const { dir, manager } = plan
  const run = manager.name === 'npm' ? 'npm run' : manager.name
  const steps = [
    ...(dir === '.' ? [] : [`cd ${quoteForShell(dir)}`]),
    ...(finished.installSeconds === undefined ? [`${manager.name} install`] : []),
  ]
  const dev = `${run} dev`
  const generate = `${manager.exec} api generate resource posts title:string body:text`
  return [
    ...steps.map((step) => `  ${step}`),
    `  ${dev.padEnd(16)}http://localhost:3000  (docs at /docs)`,
    ...(plan.resource.length === 0 ? [`  ${generate}`] : []),
    '',
    `  Same again without questions: ${toCommand(plan)}`,
  ]
}

function toCommand(plan: ProjectPlan): string {
  const words = ['npx', packageName, quoteForShell(plan.dir), '--yes', '--pm', plan.manager.name]
  if (plan.name !== plan.target.split(/[\\/]/).at(-1)) words.push('--name', plan.name)
  if (!plan.install) words.push('--no-install')
  if (plan.template !== undefined) words.push('--template', plan.template)
  if (!plan.git) words.push('--no-git')
  for (const resource of plan.resource) words.push('--resource', quoteForShell(resource))
  return words.join(' ')
}

function toNotes(plan: ProjectPlan, scaffold: Scaffold): readonly Note[] {
  const open = scaffold.resources.filter(({ resource }) => resource.access === 'public')
  if (open.length === 0) return []
  const names = open.map(({ resource }) => resource.names.plural).join(', ')
  return [
    {
      kind: 'note',
      code: 'PUBLIC_WRITES',
      message: `anyone may create, change and delete ${names}; to require a token, in ${plan.dir}:`,
      commands: open.map(
        ({ resource }) =>
          `${plan.manager.exec} api generate resource ${resource.names.typed} --access user --force`,
      ),
    },
  ]
}
