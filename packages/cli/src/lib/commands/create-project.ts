import { amendFirstCommit, type GitResult, initializeGit } from '../create/git.ts'
import { installDependencies } from '../create/install.ts'
import { type CreateProjectOptions, planProject, type ProjectPlan } from '../create/project-plan.ts'
import { writeProject } from '../create/write-project.ts'
import { CliError } from '../errors/cli-error.ts'
import { type CommandContext } from '../terminal/command-context.ts'
import { quoteForShell } from '../terminal/quote-for-shell.ts'
import { type Outcome } from '../terminal/reporter.ts'
import { startSpinner } from '../terminal/spinner.ts'
import { generateClient } from './generate-client.ts'
import { describeProject } from './describe-project.ts'
import { develop } from './develop.ts'

// Questions → files → git → installation → start.
export async function createProject(
  options: CreateProjectOptions,
  context: CommandContext,
): Promise<Outcome> {
  const plan = await planProject(options, context)
  const start = performance.now()
  const scaffold = await writeProject(plan)
  const seconds = secondsSince(start)
  if (plan.dryRun) return describeProject(plan, { scaffold, seconds })
  const outcome = describeProject(plan, {
    scaffold,
    seconds,
    ...(await finishProject(plan, context)),
  })
  if (!plan.start) return outcome
  context.report(outcome)
  return { ...(await develop({}, { ...context, cwd: plan.target })), json: outcome.json }
}

interface FinishResult {
  readonly git: GitResult
  readonly installSeconds?: number | undefined
}

// When this fails, the project stays and the hint continues from there.
async function finishProject(plan: ProjectPlan, context: CommandContext): Promise<FinishResult> {
  const { env } = context.terminal
  const git = await createRepository(plan, env)
  const installSeconds = plan.install ? await install(plan, context) : undefined
  if (plan.client && plan.install) await generateClient({}, { ...context, cwd: plan.target })
  if (installSeconds !== undefined && git.status === 'committed') {
    await amendFirstCommit(plan.target, env)
  }
  if (git.status === 'failed') {
    throw new CliError('GIT_FAILED', `${plan.dir} was created, but git failed: ${git.reason}`, {
      hint: `continue with: cd ${quoteForShell(plan.dir)} && git init && git add --all && git commit`,
    })
  }
  return { git, installSeconds }
}

async function createRepository(
  plan: ProjectPlan,
  env: CommandContext['terminal']['env'],
): Promise<GitResult> {
  if (!plan.git) return { status: 'skipped', reason: '--no-git' }
  const { workspace } = plan.surroundings
  if (workspace !== undefined) {
    return { status: 'skipped', reason: `the workspace ${workspace} has its own` }
  }
  return initializeGit(plan.target, env)
}

async function install(plan: ProjectPlan, context: CommandContext): Promise<number> {
  const { dir, manager, surroundings, target } = plan
  const start = performance.now()
  const hint = `continue with: cd ${quoteForShell(dir)} && ${manager.name} install`
  const stop = startSpinner(context, `  installing with ${manager.name} …`)
  const onExit = (): void => {
    stop()
    context.progress(`  ${dir} was created, but its dependencies are not installed; ${hint}`)
  }
  process.once('exit', onExit)
  const { code, output } = await installDependencies(manager, {
    cwd: surroundings.workspace ?? target,
    env: context.terminal.env,
  })
  process.removeListener('exit', onExit)
  stop()
  if (code === 0) return secondsSince(start)
  const lines = output.trim().split('\n').slice(-12)
  throw new CliError('INSTALL_FAILED', `${dir} was created, but ${manager.name} failed`, {
    details: lines.map((line) => `  ${line}`),
    hint,
  })
}

function secondsSince(start: number): number {
  return (performance.now() - start) / 1000
}
