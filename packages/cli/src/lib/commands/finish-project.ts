import { join } from 'node:path'
import { amendFirstCommit, type GitResult, initialiseGit } from '../create/git.ts'
import { installDependencies } from '../create/install.ts'
import { runForeground } from '../create/spawn.ts'
import { CliError } from '../errors.ts'
import { findScript } from '../files/find-script.ts'
import { type CommandContext } from '../terminal/command-context.ts'
import { quoteForShell } from '../terminal/quote-for-shell.ts'
import { startSpinner } from '../terminal/spinner.ts'
import { type ProjectPlan } from './create-project.ts'

/** What happened after the files were written. */
export interface FinishResult {
  readonly git: GitResult
  /** Seconds the installation took, or `undefined` when it was left out. */
  readonly installSeconds?: number | undefined
}

/**
 * Makes the repository and installs the dependencies.
 *
 * @param plan what was made
 * @param context the world
 * @returns what was done
 * @throws CliError `INSTALL_FAILED` or `GIT_FAILED`; the project stays and the hint goes on from there
 */
export async function finishProject(
  plan: ProjectPlan,
  context: CommandContext,
): Promise<FinishResult> {
  const { env } = context.terminal
  const git = await makeRepository(plan, env)
  const installSeconds = plan.install ? await install(plan, context) : undefined
  if (installSeconds !== undefined && git.status === 'committed') {
    await amendFirstCommit(plan.target, env)
  }
  if (git.status === 'failed') {
    throw new CliError('GIT_FAILED', `${plan.dir} was written, but git failed: ${git.reason}`, {
      hint: `go on with: cd ${quoteForShell(plan.dir)} && git init && git add --all && git commit`,
    })
  }
  return { git, installSeconds }
}

/**
 * Runs the new service in the foreground until it is stopped.
 *
 * @param plan what was made
 * @param context the world
 * @returns the exit code; 0 when the user stopped it
 */
export async function startProject(plan: ProjectPlan, context: CommandContext): Promise<number> {
  const tsx = findScript(plan.target, { package: 'tsx', bin: 'tsx' })
  if (tsx === undefined) throw new CliError('INSTALL_FAILED', 'tsx was not installed')
  const args = [tsx, 'watch', '--env-file-if-exists=.env', join('src', 'server.ts')]
  return runForeground(process.execPath, args, { cwd: plan.target, env: context.terminal.env })
}

async function makeRepository(
  plan: ProjectPlan,
  env: CommandContext['terminal']['env'],
): Promise<GitResult> {
  if (!plan.git) return { status: 'skipped', reason: '--no-git' }
  if (plan.workspace !== undefined) {
    return { status: 'skipped', reason: `the workspace ${plan.workspace} has its own` }
  }
  return initialiseGit(plan.target, env)
}

async function install(plan: ProjectPlan, context: CommandContext): Promise<number> {
  const { manager, target, workspace } = plan
  const began = performance.now()
  const hint = `go on with: cd ${quoteForShell(plan.dir)} && ${manager.name} install`
  const stop = startSpinner(context, `  installing with ${manager.name} …`)
  const onExit = (): void => {
    stop()
    context.progress(`  ${plan.dir} was written, but not installed; ${hint}`)
  }
  process.once('exit', onExit)
  const ended = await installDependencies(manager, {
    cwd: workspace ?? target,
    env: context.terminal.env,
  })
  process.removeListener('exit', onExit)
  stop()
  if (ended.code === 0) return (performance.now() - began) / 1000
  const lines = ended.output.trim().split('\n').slice(-12)
  throw new CliError('INSTALL_FAILED', `${plan.dir} was written, but ${manager.name} failed`, {
    details: lines.map((line) => `  ${line}`),
    hint,
  })
}
