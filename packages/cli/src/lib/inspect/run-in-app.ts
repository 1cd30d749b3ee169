import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { CliError } from '../errors.ts'
import { type Project } from '../project/open-project.ts'

/** What work in an application is given. */
export interface AppWork {
  /** Environment of this process; `.env` fills what it leaves open. */
  readonly env: Readonly<Record<string, string | undefined>>
  /**
   * Handed to the work on standard input, where no other process sees it.
   * @default undefined
   */
  readonly input?: unknown
}

/**
 * Imports the application in a process of its own, without starting it, and works with it. The
 * application may print what it likes; the answer has a channel of its own.
 *
 * @param project the project
 * @param work text of a function `(api, input) => answer`; input and answer travel as JSON
 * @param options environment and input
 * @returns the answer
 * @throws CliError `PROBLEMS_FOUND` when the application cannot be imported, with what it printed
 */
export async function runInApp<Answer>(
  project: Project,
  work: string,
  options: AppWork,
): Promise<Answer> {
  const { env, input } = options
  const app = join(project.root, project.config.srcDir, 'app.ts')
  if (!existsSync(app)) {
    throw new CliError('PROBLEMS_FOUND', `${project.config.srcDir}/app.ts is missing`)
  }
  const flags = ['--env-file-if-exists=.env', '--import', 'tsx', '--input-type=module']
  const args = [...flags, '-e', toScript(work), '--', pathToFileURL(app).href]
  const text = input === undefined ? '{}' : JSON.stringify(input)
  const { answer, code, output } = await run(args, { cwd: project.root, env, input: text })
  if (code === 0 && answer !== '') {
    const parsed: Answer = JSON.parse(answer)
    return parsed
  }
  const lines = output.trim().split('\n').slice(0, 30)
  throw new CliError('PROBLEMS_FOUND', 'the application could not be imported', {
    details: lines.map((line) => `  ${line}`),
    hint: 'are the dependencies installed?',
  })
}

function toScript(work: string): string {
  return `
    const { readFileSync, writeSync } = await import('node:fs')
    const { api } = await import(process.argv[1])
    const answer = await (${work})(api, JSON.parse(readFileSync(0, 'utf8')))
    const text = Buffer.from(JSON.stringify(answer))
    for (let at = 0; at < text.length; at += writeSync(3, text, at)) {}
    process.exit(0)
  `
}

interface RunOptions {
  readonly cwd: string
  readonly env: Readonly<Record<string, string | undefined>>
  readonly input: string
}

interface RunResult {
  readonly answer: string
  readonly output: string
  readonly code: number | null
}

function run(args: readonly string[], { cwd, env, input }: RunOptions): Promise<RunResult> {
  return new Promise((done) => {
    const stdio = ['pipe', 'pipe', 'pipe', 'pipe'] as const
    const child = spawn(process.execPath, args, { cwd, env: { ...env }, stdio: [...stdio] })
    const chunks: Record<'answer' | 'output', Buffer[]> = { answer: [], output: [] }
    child.stdio[3]?.on('data', (chunk: Buffer) => chunks.answer.push(chunk))
    for (const stream of [child.stdout, child.stderr]) {
      stream?.on('data', (chunk: Buffer) => chunks.output.push(chunk))
    }
    // An application that ends at once does not read; why it ended is the better error.
    child.stdin?.on('error', () => undefined).end(input)
    const text = (name: 'answer' | 'output'): string => Buffer.concat(chunks[name]).toString('utf8')
    child.on('error', (error) => done({ answer: '', output: error.message, code: 127 }))
    child.on('close', (code) => done({ answer: text('answer'), output: text('output'), code }))
  })
}
