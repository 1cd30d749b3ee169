import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { CliError } from '../errors.ts'
import { type Project } from '../project/open-project.ts'

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
 * @throws CliError `PROBLEMS_FOUND` when the script fails, with what it printed
 */
export async function runScript<Answer>(
  project: Project,
  script: string,
  options: ScriptOptions,
): Promise<Answer> {
  const { env, input = {} } = options
  const app = join(project.root, project.config.srcDir, 'app.ts')
  if (!existsSync(app)) {
    throw new CliError('PROBLEMS_FOUND', `${project.config.srcDir}/app.ts is missing`)
  }
  const flags = ['--env-file-if-exists=.env', '--import', 'tsx', '--input-type=module']
  const args = [...flags, '-e', prelude + script, '--', pathToFileURL(app).href]
  const run = { cwd: project.root, env, input: JSON.stringify(input) }
  const { answer, code, output } = await spawnNode(args, run)
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

const prelude = `
  const { readFileSync, writeSync } = await import('node:fs')
  const app = process.argv[1]
  const input = JSON.parse(readFileSync(0, 'utf8'))
  function answer(value) {
    const text = Buffer.from(JSON.stringify(value))
    for (let at = 0; at < text.length; at += writeSync(3, text, at)) {}
    process.exit(0)
  }
`

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

function spawnNode(args: readonly string[], { cwd, env, input }: RunOptions): Promise<RunResult> {
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
