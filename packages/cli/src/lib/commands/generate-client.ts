import { existsSync } from 'node:fs'
import { basename, dirname, join, relative, resolve } from 'node:path'
import { readSource } from '../client/read-source.ts'
import { type Omission } from '../client/document.ts'
import { writeClient, type WrittenClient } from '../client/write-client.ts'
import { toJavaScript } from '../code/to-javascript.ts'
import { clientPackage } from '../create/dependencies.ts'
import { listParents, toInstallCommand } from '../create/install-command.ts'
import { readText } from '../files/plan.ts'
import { writeFile } from '../files/write-file.ts'
import { readOpenApi } from '../inspect/inspect-app.ts'
import { CliError } from '../errors/cli-error.ts'
import { packageName } from '../package/own-package.ts'
import { openProject } from '../project/open-project.ts'
import { chooseFormat, findFormatter, formatBuiltIn } from '../resource/project-formatter.ts'
import { apiCommand } from '../terminal/api-command.ts'
import { type CommandContext } from '../terminal/command-context.ts'
import { describeChanges, toJsonFiles } from '../terminal/describe-changes.ts'
import { quoteForShell } from '../terminal/quote-for-shell.ts'
import { type Note, type Outcome } from '../terminal/reporter.ts'

export interface ClientOptions {
  /** Exit with 1 if the file is older than the document. */
  readonly check?: boolean | undefined
  /** File to write. */
  readonly out?: string | undefined
  /** URL or file of the document; undefined for the application of the project. */
  readonly source?: string | undefined
}

export async function generateClient(
  options: ClientOptions,
  context: CommandContext,
): Promise<Outcome> {
  const { source } = options
  if (source === undefined) {
    const project = openProject(context.cwd)
    const path = options.out ?? `${project.config.srcDir}/client${project.config.extension}`
    const root = options.out === undefined ? project.root : context.cwd
    const client = writeClient(
      await readOpenApi(project, context.terminal.env),
      `${apiCommand} client`,
    )
    const code = await toLanguage(path, client.text)
    const text = await chooseFormat(project, findFormatter)(path, code)
    return settle(client, text, { target: resolve(root, path), ...toPlace(options, context) })
  }
  const target = resolve(context.cwd, options.out ?? 'src/client.ts')
  const client = writeClient(await readSource(context.cwd, source), `npx ${packageName} client`)
  const text = await formatBuiltIn(target, await toLanguage(target, client.text))
  return settle(client, text, { target, ...toPlace(options, context) })
}

// A file that is called so is JavaScript.
async function toLanguage(path: string, text: string): Promise<string> {
  return /\.m?js$/.test(path) ? toJavaScript(text) : text
}

interface Place {
  readonly cwd: string
  readonly check: boolean
  /** The command line that writes the file. */
  readonly command: string
}

function toPlace({ check = false, out, source }: ClientOptions, { cwd }: CommandContext): Place {
  const words = source === undefined ? [] : [quoteForShell(source)]
  const rest = out === undefined ? words : [...words, '--out', quoteForShell(out)]
  const program = source === undefined ? apiCommand : `npx ${packageName}`
  return { cwd, check, command: [program, 'client', ...rest].join(' ') }
}

const mark = '// Written by `'

async function settle(
  { omissions, operations }: WrittenClient,
  text: string | undefined,
  { check, command, cwd, target }: Place & { readonly target: string },
): Promise<Outcome> {
  if (text === undefined) throw new CliError('UNEXPECTED', 'the client cannot be formatted')
  const path = relative(cwd, target)
  const before = readText(target)
  if (before !== undefined && !before.startsWith(mark)) {
    throw new CliError('CONFLICT', `${path} was not written by this command`, {
      hint: 'choose another file with --out',
      files: [path],
    })
  }
  const facts = { file: path, operations, omissions }
  if (check) {
    const current = before === text
    const line = current
      ? `  ${path} is up to date.`
      : before === undefined
        ? `  ${path} does not exist.`
        : `  ${path} is older than the API.`
    return {
      exit: current ? 0 : 1,
      json: { command: 'client --check', ...facts, current },
      lines: ['', line, ''],
      notes: current ? [] : [{ kind: 'next', message: command }],
    }
  }
  const changes = await writeFile(dirname(target), basename(target), () => text)
  const shown = changes.map((change) => ({ ...change, path: join(dirname(path), change.path) }))
  return {
    json: { command: 'client', ...facts, files: toJsonFiles(shown) },
    lines: ['', ...describeChanges(shown), ''],
    notes: [...toNotes(omissions), ...toMissing(target, cwd)],
  }
}

function toMissing(target: string, cwd: string): readonly Note[] {
  const folder = dirname(target)
  if (listParents(folder).some((one) => existsSync(join(one, 'node_modules', clientPackage)))) {
    return []
  }
  return [{ kind: 'next', message: toInstallCommand([clientPackage], { cwd, folder }) }]
}

const shownOmissions = 20

function toNotes(omissions: readonly Omission[]): readonly Note[] {
  if (omissions.length === 0) return []
  const shown = omissions.slice(0, shownOmissions).map(({ what, why }) => `${what}: ${why}`)
  const more = omissions.length - shown.length
  return [
    {
      kind: 'warning',
      code: 'unsupported',
      message: 'the client leaves out what it does not support:',
      commands: more > 0 ? [...shown, `and ${more} more; --json lists all`] : shown,
    },
  ]
}
