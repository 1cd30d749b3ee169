import { relative, resolve } from 'node:path'
import {
  choosePackageManager,
  findWorkspace,
  type PackageManager,
} from '../create/package-manager.ts'
import { type ProjectTemplate } from '../create/project-template.ts'
import { toProjectName } from '../create/project-name.ts'
import { writeProject } from '../create/write-project.ts'
import { CliError } from '../errors.ts'
import { type CommandContext } from '../terminal/command-context.ts'
import { type Outcome } from '../terminal/reporter.ts'
import { askQuestions } from './create-questions.ts'
import { describeProject, type Finished } from './describe-project.ts'
import { finishProject, startProject } from './finish-project.ts'

/** Options of `create-api`. */
export interface CreateProjectOptions {
  readonly dir?: string | undefined
  readonly name?: string | undefined
  readonly template?: ProjectTemplate | undefined
  readonly pm?: string | undefined
  /** Field arguments of resources, each as one text. */
  readonly resource?: readonly string[] | undefined
  /** False for `--no-install`. */
  readonly install?: boolean | undefined
  /** False for `--no-git`. */
  readonly git?: boolean | undefined
  readonly start?: boolean | undefined
  readonly force?: boolean | undefined
  readonly dryRun?: boolean | undefined
  readonly yes?: boolean | undefined
  /**
   * Ranges instead of tarballs even when run from a checkout.
   * @default false
   */
  readonly published?: boolean | undefined
}

/** Everything decided before a file is written. */
export interface ProjectPlan extends CreateProjectOptions {
  readonly dir: string
  /** Absolute path. */
  readonly target: string
  readonly name: string
  readonly manager: PackageManager
  readonly workspace: string | undefined
  readonly resource: readonly string[]
  readonly install: boolean
  readonly git: boolean
}

/**
 * Makes a project: questions → files → git → installation → start.
 *
 * @param options what to make
 * @param context the world
 * @returns what was done
 * @throws CliError before anything is written, or `INSTALL_FAILED` and `GIT_FAILED` after it
 */
export async function createProject(
  options: CreateProjectOptions,
  context: CommandContext,
): Promise<Outcome> {
  requireSensible(options, context)
  const answered = context.interactive ? await askQuestions(options) : options
  const plan = toPlan(answered, context)
  const began = performance.now()
  const scaffold = await writeProject(plan)
  const seconds = (performance.now() - began) / 1000
  if (plan.dryRun) return describeProject(plan, { scaffold, seconds })
  const finished: Finished = { scaffold, seconds, ...(await finishProject(plan, context)) }
  const outcome = describeProject(plan, finished)
  if (!plan.start) return outcome
  context.report(outcome)
  return { ...outcome, lines: [], notes: [], exit: await startProject(plan, context) }
}

function requireSensible(options: CreateProjectOptions, context: CommandContext): void {
  if (options.start && options.install === false) {
    throw new CliError('USAGE', '--start needs the dependencies; leave --no-install out')
  }
  if (options.start && context.flags.json) {
    throw new CliError('USAGE', '--start and --json do not go together')
  }
  if (options.dir === undefined && !context.interactive) {
    throw new CliError('USAGE', 'the argument dir is missing', {
      hint: 'for example: npx create-api my-service --yes',
    })
  }
}

function toPlan(options: CreateProjectOptions, context: CommandContext): ProjectPlan {
  const target = resolve(context.cwd, options.dir ?? '')
  const workspace = findWorkspace(target)
  const manager = choosePackageManager({
    flag: options.pm,
    userAgent: context.terminal.env['npm_config_user_agent'],
    workspace,
  })
  const dir = relative(context.cwd, target) || '.'
  return {
    ...options,
    dir,
    target,
    workspace,
    manager,
    name: toProjectName(target, options.name),
    resource: options.resource ?? [],
    install: options.install !== false,
    git: options.git !== false,
  }
}
