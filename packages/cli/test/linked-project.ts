import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { toJavaScript } from '../src/lib/code/to-javascript.ts'
import { createApiProgram } from '../src/lib/programs/api-program.ts'
import { buildModules } from './built-modules.ts'
import { createProject, runProgram } from './run-program.ts'

/** What linked projects have installed: the modules of this repository. */
export const modules = buildModules()

/** Selects the sources of the packages that `modules` does not contain as built ones. */
export const sourceEnv = { NODE_OPTIONS: '--conditions=@create-api/source' }

/** Makes a project that finds its dependencies in this repository. */
export async function createLinkedProject(
  resource: readonly string[] = [],
  client = false,
): Promise<string> {
  const root = await createProject(resource, client)
  symlinkSync(modules, join(root, 'node_modules'))
  return root
}

/**
 * Makes such a project in JavaScript, for tests of commands that treat both languages alike: a process loads its application in half of
 * the time, because it does not need tsx.
 */
export async function createLinkedJavaScript(...resources: readonly string[]): Promise<string> {
  const root = await createLinkedProject()
  const folder = join(root, 'src')
  for (const name of readdirSync(folder).filter((file) => file.endsWith('.ts'))) {
    const file = join(folder, name)
    writeFileSync(file.replace(/ts$/, 'js'), await toJavaScript(readFileSync(file, 'utf8')))
    rmSync(file)
  }
  editConfig(root, { language: 'javascript', registry: 'src/routes.js' })
  for (const resource of resources) {
    const args = ['generate', 'resource', ...resource.split(' ')]
    const { code, stderr } = await runProgram(createApiProgram, args, { cwd: root })
    expect({ code, stderr }).toEqual({ code: 0, stderr: expect.any(String) })
  }
  return root
}

/** Adds an option to the `createApi` call of a project, for example `auth: false`. */
export function addOption(root: string, text: string): void {
  const file = findApp(root)
  const before = readFileSync(file, 'utf8')
  const after = before.replace('  routes,\n', `  routes,\n  ${text},\n`)
  if (after === before) throw new Error(`${file} has no line "routes,"`)
  writeFileSync(file, after)
}

/** Lets a project have organizations, which its paths name. */
export function addTenants(root: string): void {
  editConfig(root, { tenants: 'path' })
  addOption(root, 'tenants: createTenants()')
  const app = findApp(root)
  const line = "import { createTenants } from '@create-api/core/tenants'\n"
  writeFileSync(app, line + readFileSync(app, 'utf8'))
}

/** Adds a job that fails to a project: `broken`, exported by `src/jobs.ts`. */
export function addJob(root: string): void {
  const app = findApp(root)
  writeFileSync(
    app.replace('app.', 'jobs.'),
    `import { createJobs, defineJob } from '@create-api/jobs'
import { z } from 'zod'

export const broken = defineJob({
  name: 'broken',
  input: z.object({}),
  retries: 0,
  run() {
    throw new Error('not now')
  },
})

export const jobs = createJobs({ jobs: [broken] })
`,
  )
  addOption(root, 'jobs')
  writeFileSync(app, `import { jobs } from './jobs.js'\n${readFileSync(app, 'utf8')}`)
}

/** The file of the application of a linked project. */
export function findApp(root: string): string {
  const typed = join(root, 'src/app.ts')
  return existsSync(typed) ? typed : join(root, 'src/app.js')
}

function editConfig(root: string, settings: object): void {
  const file = join(root, 'api.config.json')
  const given: object = JSON.parse(readFileSync(file, 'utf8'))
  writeFileSync(file, JSON.stringify({ ...given, ...settings }))
}

/** Runs a module in a project, with the packages from source. */
export async function runInProject(root: string, script: string): Promise<void> {
  const flags = ['--env-file-if-exists=.env', ...loadFlags(root), '--input-type=module']
  const child = spawn(process.execPath, [...flags, '-e', script], {
    cwd: root,
    env: { ...process.env, NODE_ENV: 'development', ...sourceEnv },
    stdio: ['ignore', 'inherit', 'inherit'],
  })
  expect(await once(child, 'close')).toEqual([0, null])
}

/** The options of Node.js with which it runs the files of a linked project. */
export function loadFlags(root: string): readonly string[] {
  return findApp(root).endsWith('.ts') ? ['--import', 'tsx'] : []
}

/** Runs the tests that were generated with a project. */
export function runGeneratedTests(root: string): void {
  const link = join(root, 'node_modules')
  if (!existsSync(link)) symlinkSync(modules, link)
  const entries = Object.entries(process.env).filter(([name]) => !/^(VITEST|NODE_ENV)/.test(name))
  const env = { ...Object.fromEntries(entries), ...sourceEnv }
  const vitest = join(modules, '.bin/vitest')
  const { status, stderr, stdout } = spawnSync(vitest, ['run'], { cwd: root, env })
  expect(status === 0 ? '' : `${stderr.toString()}${stdout.toString()}`).toBe('')
}
