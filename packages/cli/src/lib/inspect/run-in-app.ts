import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join, sep } from 'node:path'
import { createInterface } from 'node:readline'
import { Readable } from 'node:stream'
import { pathToFileURL } from 'node:url'
import { CliError } from '../errors/cli-error.ts'
import { type Project } from '../project/open-project.ts'
import { readPackageJson } from '../project/package-json.ts'
import { apiCommand } from '../terminal/api-command.ts'
import { onStopSignal } from '../terminal/on-stop-signal.ts'

export interface ScriptOptions {
  /** Environment of this process; `.env` adds what is not set. */
  readonly env: Readonly<Record<string, string | undefined>>
  /** Passed on standard input, where no other process can read it. */
  readonly input?: unknown
  /** Called with what the script passes to `notify`. An interrupt then waits for the script to end. */
  readonly onNotice?: (notice: unknown) => void
}

// Imports the application in a child process, without starting it, and calls `work`: the source of a
// function `(api, input, notify) => result`. Input and result travel as JSON.
export async function runInApp<Result>(
  project: Project,
  work: string,
  options: ScriptOptions,
): Promise<Result> {
  const script = `
    const { api } = await import(app)
    imported()
    finish(await (${work})(api, input, notify))
  `
  return runScript<Result>(project, script, options)
}

// Runs a module in a child process with the modules of the project: `app` is the URL of the
// application, `input` the input, `imported()` says that the application is imported, and `finish(result)`
// returns a result. The result has its own channel, so the application may print.
export async function runScript<Result>(
  project: Project,
  script: string,
  { env, input = {}, onNotice }: ScriptOptions,
): Promise<Result> {
  const { root } = project
  const app = pathToFileURL(findSource(project, 'app')).href
  const flags = [...nodeFlags(project), '--input-type=module']
  const child = spawn(process.execPath, [...flags, '-e', prelude + script, '--', app], {
    cwd: root,
    env: { ...env },
    stdio: ['pipe', 'pipe', 'pipe', 'pipe', 'pipe'],
  })
  const printed: Buffer[] = []
  const sent: Buffer[] = []
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk: Buffer) => printed.push(chunk))
  }
  child.stdio[3]?.on('data', (chunk: Buffer) => sent.push(chunk))
  const finished = onNotice && followNotices(child, onNotice)
  // An application that exits at once does not read; why it exited is the better error.
  child.stdin.on('error', () => undefined).end(JSON.stringify(input))
  await once(child, 'close')
  await finished?.()
  const text = Buffer.concat(sent).toString('utf8')
  const message: Message<Result> = text === '' ? {} : JSON.parse(text)
  if (message.result !== undefined) return message.result
  if (message.failure !== undefined) {
    const isImport = message.failure.phase === 'import'
    const title = isImport ? 'the application could not be imported' : 'the application failed'
    throw describeFailure(root, message.failure, title)
  }
  const lines = Buffer.concat(printed).toString('utf8').trim().split('\n').slice(-30)
  throw new CliError('PROBLEMS_FOUND', 'the application exited while it was imported', {
    details: lines.map((line) => `  ${line}`),
  })
}

// Reads a line of JSON for each notice, and passes signals on: the process reports how it has stopped.
// The returned function waits for the last notice.
function followNotices(
  child: ChildProcess,
  onNotice: (notice: unknown) => void,
): () => Promise<void> {
  const restoreSignals = onStopSignal((signal) => child.kill(signal))
  const stream = child.stdio[4]
  const lines = stream instanceof Readable ? createInterface({ input: stream }) : undefined
  lines?.on('line', (line) => onNotice(JSON.parse(line)))
  const closed = lines && once(lines, 'close')
  return async () => {
    await closed
    restoreSignals()
  }
}

// Has neither if the process exited by itself.
interface Message<Result> {
  readonly result?: Result
  readonly failure?: AppFailure
}

interface AppFailure {
  /** Whether the application was being imported or was running. */
  readonly phase: 'import' | 'run'
  readonly name: string
  readonly message: string
  readonly stack: string
}

const prelude = `
  const { readFileSync, writeSync } = await import('node:fs')
  const app = process.argv[1]
  const input = JSON.parse(readFileSync(0, 'utf8'))
  function send(message) {
    const text = Buffer.from(JSON.stringify(message))
    for (let at = 0; at < text.length; at += writeSync(3, text, at)) {}
  }
  let phase = 'import'
  function imported() {
    phase = 'run'
  }
  function notify(notice) {
    writeSync(4, JSON.stringify(notice) + '\\n')
  }
  function finish(result) {
    send({ result })
    process.exit(0)
  }
  process.on('uncaughtException', (error) => {
    const { name = '', message = String(error), stack = '' } = error ?? {}
    send({ failure: { phase, name, message, stack } })
    process.exit(1)
  })
`

// The options of Node.js for a process of the application.
export function nodeFlags(project: Project): readonly string[] {
  const loader = findLoader(project)
  return ['--env-file-if-exists=.env', ...(loader === undefined ? [] : ['--import', loader])]
}

function findLoader({ config }: Project): string | undefined {
  return config.language === 'typescript' ? 'tsx' : undefined
}

// The path of a module of the application that can be run.
export function findSource(project: Project, name: string): string {
  const { config, root } = project
  const { extension, srcDir } = config
  const file = join(root, srcDir, name + extension)
  if (!existsSync(file)) {
    throw new CliError('PROBLEMS_FOUND', `${srcDir}/${name}${extension} is missing`)
  }
  try {
    createRequire(file).resolve(findLoader(project) ?? '@create-api/core')
    return file
  } catch {
    throw new CliError('PROBLEMS_FOUND', 'the dependencies are not installed', {
      hint: 'npm install',
    })
  }
}

// Packages, and the script itself.
const foreign = /node_modules|\[eval/

// The application's own message, and the lines of its code.
export function describeFailure(
  root: string,
  { message, name, stack }: Omit<AppFailure, 'phase'>,
  title: string,
): CliError {
  const isBuiltIn = /^(Type|Reference|Range|Syntax)Error$/.test(name)
  const text = isBuiltIn ? `${name}: ${message}` : message
  const frames = [...stack.matchAll(/^ +at .*$/gm)].map(([line]) => line.trim())
  const places = frames.filter((line) => line.includes(root) && !foreign.test(line)).slice(0, 3)
  const lines = [...text.trim().split('\n'), ...places.map((line) => `  ${line}`)]
  const prefix = `${pathToFileURL(root).href}/`
  return new CliError('PROBLEMS_FOUND', title, {
    details: lines.map(
      (line) => `  ${line.replaceAll(prefix, '').replaceAll(`${root}${sep}`, '')}`,
    ),
    hint: suggestFix(root, name, message),
  })
}

function suggestFix(root: string, name: string, message: string): string | undefined {
  if (name === 'ConfigError') return `list every variable and its value: ${apiCommand} env`
  const [, missing] = /^Cannot find package '([^']+)'/.exec(message) ?? []
  if (missing === undefined) return undefined
  const { dependencies, devDependencies } = readPackageJson(root)
  return Object.hasOwn({ ...dependencies, ...devDependencies }, missing)
    ? 'npm install'
    : `package.json does not list ${missing} among its dependencies`
}
