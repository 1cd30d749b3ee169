import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { CliError } from '../errors.ts'
import { type Project } from '../project/open-project.ts'
import { type ImportFailure, toImportError } from './import-failure.ts'

/** What a script in a project is given. */
export interface ScriptOptions {
  /** Environment of this process; `.env` fills what it leaves open. */
  readonly env: Readonly<Record<string, string | undefined>>
  /**
   * Handed over on standard input, where no other process sees it.
   * @default undefined
   */
  readonly input?: unknown
}

/**
 * Runs a script in a process of its own, with the project's modules. They may print what they like;
 * the answer has a channel of its own.
 *
 * @param project the project
 * @param script a module; `app` is the URL of the application, `input` what was handed over, and
 * `answer` is called with what goes back as JSON
 * @param options environment and input
 * @returns the answer
 * @throws CliError `PROBLEMS_FOUND` when the dependencies are not installed or the script fails, and why
 */
export async function runScript<Answer>(
  project: Project,
  script: string,
  options: ScriptOptions,
): Promise<Answer> {
  const { env, input = {} } = options
  const app = findApp(project)
  const flags = ['--env-file-if-exists=.env', '--import', 'tsx', '--input-type=module']
  const args = [...flags, '-e', prelude + script, '--', pathToFileURL(app).href]
  const run = { cwd: project.root, env, input: JSON.stringify(input) }
  const { output, said } = await spawnNode(args, run)
  const reply: Reply<Answer> = said === '' ? {} : JSON.parse(said)
  if (reply.answer !== undefined) return reply.answer
  if (reply.failure !== undefined) throw toImportError(project, reply.failure)
  const lines = output.trim().split('\n').slice(-30)
  throw new CliError('PROBLEMS_FOUND', 'the application ended while it was imported', {
    details: lines.map((line) => `  ${line}`),
  })
}

// What comes back: an answer, or what was thrown; neither when the process ended by itself.
interface Reply<Answer> {
  readonly answer?: Answer
  readonly failure?: ImportFailure
}

const prelude = `
  const { readFileSync, writeSync } = await import('node:fs')
  const app = process.argv[1]
  const input = JSON.parse(readFileSync(0, 'utf8'))
  function reply(value) {
    const text = Buffer.from(JSON.stringify(value))
    for (let at = 0; at < text.length; at += writeSync(3, text, at)) {}
  }
  function answer(value) {
    reply({ answer: value })
    process.exit(0)
  }
  process.on('uncaughtException', (error) => {
    const { name = '', message = String(error), stack = '' } = error ?? {}
    reply({ failure: { name, message, stack } })
    process.exit(1)
  })
`

function findApp({ config, root }: Project): string {
  const app = join(root, config.srcDir, 'app.ts')
  if (!existsSync(app)) throw new CliError('PROBLEMS_FOUND', `${config.srcDir}/app.ts is missing`)
  try {
    createRequire(app).resolve('tsx')
    return app
  } catch {
    throw new CliError('PROBLEMS_FOUND', 'the dependencies are not installed', {
      hint: 'npm install',
    })
  }
}

interface RunOptions {
  readonly cwd: string
  readonly env: Readonly<Record<string, string | undefined>>
  readonly input: string
}

interface RunResult {
  /** What came over the channel of its own. */
  readonly said: string
  /** What was printed. */
  readonly output: string
}

function spawnNode(args: readonly string[], { cwd, env, input }: RunOptions): Promise<RunResult> {
  return new Promise((done) => {
    const stdio = ['pipe', 'pipe', 'pipe', 'pipe'] as const
    const child = spawn(process.execPath, args, { cwd, env: { ...env }, stdio: [...stdio] })
    const chunks: Record<'said' | 'output', Buffer[]> = { said: [], output: [] }
    child.stdio[3]?.on('data', (chunk: Buffer) => chunks.said.push(chunk))
    for (const stream of [child.stdout, child.stderr]) {
      stream?.on('data', (chunk: Buffer) => chunks.output.push(chunk))
    }
    // An application that ends at once does not read; why it ended is the better error.
    child.stdin?.on('error', () => undefined).end(input)
    const text = (name: 'said' | 'output'): string => Buffer.concat(chunks[name]).toString('utf8')
    child.on('error', (error) => done({ said: '', output: error.message }))
    child.on('close', () => done({ said: text('said'), output: text('output') }))
  })
}
