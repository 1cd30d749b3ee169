import { join, relative, sep } from 'node:path'
import { type GitResult } from '../create/git.ts'
import { describeKeptPackage } from '../create/kept-package.ts'
import { type ProjectPlan } from '../create/project-plan.ts'
import { type Scaffold } from '../create/write-project.ts'
import { isPending } from '../files/change.ts'
import { describeChanges, toJsonFiles } from '../terminal/describe-changes.ts'
import { quoteForShell } from '../terminal/quote-for-shell.ts'
import { type Note, type Outcome } from '../terminal/reporter.ts'
import { packageName, version } from '../package/own-package.ts'

export interface CreatedProject {
  readonly scaffold: Scaffold
  /** Time that writing the files took. */
  readonly seconds: number
  readonly git?: GitResult | undefined
  readonly installSeconds?: number | undefined
}

export function describeProject(plan: ProjectPlan, created: CreatedProject): Outcome {
  const { changes } = created.scaffold
  return {
    json: {
      command: packageName,
      dryRun: plan.dryRun === true,
      name: plan.name,
      path: plan.target,
      packageManager: plan.manager.name,
      files: toJsonFiles(changes),
      git: created.git?.status ?? 'skipped',
      installed: created.installSeconds !== undefined,
    },
    lines: plan.dryRun
      ? ['Dry run: nothing was written.', '', ...describeChanges(changes), '']
      : ['', ...formatSummary(plan, created), '', ...toNextSteps(plan, created), ''],
    notes: [
      ...describeKeptPackage(changes, { dir: plan.dir, install: `${plan.manager.name} install` }),
      ...toSurroundingNotes(plan),
      ...toNotes(plan, created.scaffold),
    ],
  }
}

function formatSummary(plan: ProjectPlan, created: CreatedProject): readonly string[] {
  const { git, installSeconds, scaffold, seconds } = created
  const count = scaffold.changes.filter(isPending).length
  const { workspace } = plan.surroundings
  const where = workspace === undefined ? '' : ` at the workspace root ${workspace}`
  const kept = scaffold.changes.filter(({ action }) => action === 'keep')
  const edited = scaffold.changes.filter(({ action, quiet }) => action === 'update' && !quiet)
  return [
    `  ${plan.name} created in ${seconds.toFixed(1)} s (${count} files)`,
    ...(git === undefined ? [] : [`  git        ${describeGit(git)}`]),
    ...(installSeconds === undefined
      ? []
      : [`  install    ${plan.manager.name} in ${installSeconds.toFixed(0)} s${where}`]),
    ...kept.map(({ path }) => `  kept       ${path}`),
    ...edited.map(({ detail = '', path }) => `  updated    ${path}  ${detail}`),
  ]
}

function describeGit(git: GitResult): string {
  if (git.status === 'committed') {
    return `initialized, first commit "Initial commit from ${packageName} ${version}"`
  }
  return git.status === 'initialized' ? `initialized, ${git.reason}` : `skipped: ${git.reason}`
}

function toNextSteps(plan: ProjectPlan, created: CreatedProject): readonly string[] {
  const { dir, manager } = plan
  const dev = `${manager.name === 'npm' ? 'npm run' : manager.name} dev`
  return [
    ...(dir === '.' ? [] : [`  cd ${quoteForShell(dir)}`]),
    ...(created.installSeconds === undefined ? [`  ${manager.name} install`] : []),
    ...(plan.client && created.installSeconds === undefined ? [`  ${manager.run} client`] : []),
    `  ${dev.padEnd(16)}http://localhost:3000  (docs at /docs)`,
    ...(plan.resource.length === 0
      ? [`  ${manager.exec} api generate resource posts title:string body:text`]
      : []),
    '',
    `  The same without prompts: ${formatCommand(plan)}`,
  ]
}

function formatCommand(plan: ProjectPlan): string {
  const words = ['npx', packageName, quoteForShell(plan.dir), '--yes', '--pm', plan.manager.name]
  if (plan.name !== plan.target.split(/[\\/]/).at(-1)) words.push('--name', plan.name)
  if (!plan.install) words.push('--no-install')
  if (plan.template !== undefined) words.push('--template', plan.template)
  if (!plan.git) words.push('--no-git')
  if (plan.client) words.push('--client')
  for (const resource of plan.resource) words.push('--resource', quoteForShell(resource))
  return words.join(' ')
}

// What lies outside of the folder and is therefore left to the user.
function toSurroundingNotes({ dir, surroundings, target, template }: ProjectPlan): readonly Note[] {
  const { otherWorkspace, repository, workspace } = surroundings
  const notes: Note[] = []
  if (otherWorkspace !== undefined) {
    const path = relative(otherWorkspace, target).split(sep).join('/')
    const message = `the workspace ${otherWorkspace} does not include ${path}, so ${dir} has its own lock file`
    notes.push({ kind: 'note', code: 'NOT_IN_WORKSPACE', message })
  }
  const root = repository ?? workspace
  if (root !== undefined && template !== 'minimal') {
    const message = `GitHub reads workflows in ${root} only: ${join(dir, 'README.md')} has one for it`
    notes.push({ kind: 'note', code: 'NESTED_WORKFLOW', message })
  }
  return notes
}

function toNotes(plan: ProjectPlan, scaffold: Scaffold): readonly Note[] {
  const open = scaffold.resources.filter(({ resource }) => resource.access.text === 'public')
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
