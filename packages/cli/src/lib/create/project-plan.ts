import { relative, resolve } from 'node:path'
import { CliError } from '../errors/cli-error.ts'
import { rejectJson } from '../terminal/reject-json.ts'
import { type CommandContext } from '../terminal/command-context.ts'
import { askText, askYesNo } from '../terminal/prompts.ts'
import { choosePackageManager, type PackageManager } from './package-manager.ts'
import { requireProjectName } from './project-name.ts'
import { findSurroundings, type Surroundings } from './surroundings.ts'

export const projectTemplates = ['default', 'minimal'] as const

export type ProjectTemplate = (typeof projectTemplates)[number]

export interface CreateProjectOptions {
  readonly dir?: string | undefined
  readonly name?: string | undefined
  readonly template?: ProjectTemplate | undefined
  readonly pm?: string | undefined
  /** Resources, each as one text: `posts title:string`. */
  readonly resource?: readonly string[] | undefined
  /** Whether the project has a typed client of its API. */
  readonly client?: boolean | undefined
  readonly install?: boolean | undefined
  readonly git?: boolean | undefined
  readonly start?: boolean | undefined
  readonly force?: boolean | undefined
  readonly dryRun?: boolean | undefined
  readonly yes?: boolean | undefined
  /** Ranges instead of tarballs, even when run from a checkout. */
  readonly published?: boolean | undefined
}

// Everything that is decided before a file is written.
export interface ProjectPlan extends CreateProjectOptions {
  /** The folder as the user knows it. */
  readonly dir: string
  /** Absolute path of the folder. */
  readonly target: string
  readonly name: string
  readonly manager: PackageManager
  readonly surroundings: Surroundings
  readonly resource: readonly string[]
  readonly client: boolean
  readonly install: boolean
  readonly git: boolean
}

export async function planProject(
  options: CreateProjectOptions,
  context: CommandContext,
): Promise<ProjectPlan> {
  requireCompatible(options, context)
  const complete = context.interactive ? await askQuestions(options) : options
  const target = resolve(context.cwd, complete.dir ?? '')
  const surroundings = findSurroundings(target)
  return {
    ...complete,
    dir: relative(context.cwd, target) || '.',
    target,
    surroundings,
    manager: choosePackageManager({
      flag: complete.pm,
      userAgent: context.terminal.env['npm_config_user_agent'],
      workspace: surroundings.workspace,
    }),
    name: requireProjectName(target, complete.name),
    resource: complete.resource ?? [],
    client: complete.client === true,
    install: complete.install !== false,
    git: complete.git !== false,
  }
}

function requireCompatible(options: CreateProjectOptions, context: CommandContext): void {
  if (options.start && options.install === false) {
    throw new CliError('USAGE', '--start needs the dependencies, so it excludes --no-install')
  }
  if (options.start) rejectJson(context, 'create-api --start')
  if (options.dir === undefined && !context.interactive) {
    throw new CliError('USAGE', 'the argument dir is missing', {
      hint: 'for example: npx create-api my-service --yes',
    })
  }
}

// With any flag, only a missing folder is asked for: the user knows what they want.
async function askQuestions(options: CreateProjectOptions): Promise<CreateProjectOptions> {
  const dir = options.dir ?? (await askText('Where should the project be created?', 'my-service'))
  if (hasFlags(options)) return { ...options, dir }
  const install = await askYesNo('Install dependencies?')
  const git = await askYesNo('Create a git repository with a first commit?')
  return { ...options, dir, install, git }
}

function hasFlags(options: CreateProjectOptions): boolean {
  const { client, dryRun, force, git, install, name, pm, resource, start } = options
  const set = [client, dryRun, force, name, pm, start].some((flag) => flag !== undefined)
  return set || git === false || install === false || (resource ?? []).length > 0
}
