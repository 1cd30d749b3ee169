import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { CliError } from '../errors.ts'
import { type Project } from '../project/open-project.ts'

/** One route as the framework serves it. */
export interface ServedRoute {
  readonly method: string
  readonly path: string
  readonly access: string
  /** Name of the controller function. */
  readonly handler: string
  /** Parts of the request that have a schema. */
  readonly validates: readonly string[]
}

/** What an application says about itself without being started. */
export interface AppFacts {
  readonly routes: readonly ServedRoute[]
  readonly openapi: unknown
}

// Runs in the project's own process: no listening, no database. The application may print what it
// likes; the answer has a channel of its own.
const script = `
  const { writeSync } = await import('node:fs')
  const { api } = await import(process.argv[1])
  const routes = api.routes.map(({ method, path, route }) => ({
    method,
    path,
    access: route.access,
    handler: route.handler.name,
    validates: ['params', 'query', 'body'].filter((part) => route[part] !== undefined),
  }))
  const text = Buffer.from(JSON.stringify({ routes, openapi: api.openapi }))
  for (let at = 0; at < text.length; at += writeSync(3, text, at)) {}
  process.exit(0)
`

/**
 * Imports the application, without listening and without a database, and asks what it serves.
 *
 * @param project the project
 * @param env environment of this process
 * @returns its routes and its OpenAPI document
 * @throws CliError `PROBLEMS_FOUND` when it cannot be imported, with what it printed
 */
export async function inspectApp(
  project: Project,
  env: Readonly<Record<string, string | undefined>>,
): Promise<AppFacts> {
  const app = join(project.root, project.config.srcDir, 'app.ts')
  if (!existsSync(app)) {
    throw new CliError('PROBLEMS_FOUND', `${project.config.srcDir}/app.ts is missing`)
  }
  const flags = [
    '--env-file-if-exists=.env',
    '--import',
    'tsx',
    '--input-type=module',
    '-e',
    script,
  ]
  const args = [...flags, '--', pathToFileURL(app).href]
  const { answer, code, output } = await run(args, { cwd: project.root, env })
  if (code === 0 && answer !== '') {
    const facts: AppFacts = JSON.parse(answer)
    return facts
  }
  const lines = output.trim().split('\n').slice(0, 30)
  throw new CliError('PROBLEMS_FOUND', 'the application could not be imported', {
    details: lines.map((line) => `  ${line}`),
    hint: 'are the dependencies installed?',
  })
}

/**
 * Tells whether anyone may write through a route.
 *
 * @param route the route
 * @returns true for public routes but reads and the framework's own authentication
 */
export function isPublicWrite(route: ServedRoute): boolean {
  const { access, method, path } = route
  return access === 'public' && method !== 'GET' && !path.startsWith('/api/v1/auth/')
}

interface RunOptions {
  readonly cwd: string
  readonly env: Readonly<Record<string, string | undefined>>
}

interface RunResult {
  readonly answer: string
  readonly output: string
  readonly code: number | null
}

function run(args: readonly string[], { cwd, env }: RunOptions): Promise<RunResult> {
  return new Promise((done) => {
    const stdio = ['ignore', 'pipe', 'pipe', 'pipe'] as const
    const child = spawn(process.execPath, args, { cwd, env: { ...env }, stdio: [...stdio] })
    const chunks: Record<'answer' | 'output', Buffer[]> = { answer: [], output: [] }
    child.stdio[3]?.on('data', (chunk: Buffer) => chunks.answer.push(chunk))
    for (const stream of [child.stdout, child.stderr]) {
      stream?.on('data', (chunk: Buffer) => chunks.output.push(chunk))
    }
    const text = (name: 'answer' | 'output'): string => Buffer.concat(chunks[name]).toString('utf8')
    child.on('error', (error) => done({ answer: '', output: error.message, code: 127 }))
    child.on('close', (code) => done({ answer: text('answer'), output: text('output'), code }))
  })
}
