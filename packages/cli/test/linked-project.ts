import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { buildModules } from './built-modules.ts'
import { createProject } from './run-program.ts'

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

/** Adds an option to the `createApi` call of a project, for example `auth: false`. */
export function addOption(root: string, text: string): void {
  const file = join(root, 'src/app.ts')
  const before = readFileSync(file, 'utf8')
  const after = before.replace('  routes,\n', `  routes,\n  ${text},\n`)
  if (after === before) throw new Error(`${file} has no line "routes,"`)
  writeFileSync(file, after)
}

/** Lets a project have organizations, which its paths name. */
export function addTenants(root: string): void {
  const config = join(root, 'api.config.json')
  const given: object = JSON.parse(readFileSync(config, 'utf8'))
  writeFileSync(config, JSON.stringify({ ...given, tenants: 'path' }))
  addOption(root, 'tenants: createTenants()')
  const app = join(root, 'src/app.ts')
  const line = "import { createTenants } from '@create-api/core/tenants'\n"
  writeFileSync(app, line + readFileSync(app, 'utf8'))
}

/** Adds a job that fails to a project: `broken`, exported by `src/jobs.ts`. */
export function addJob(root: string): void {
  writeFileSync(
    join(root, 'src/jobs.ts'),
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
  const file = join(root, 'src/app.ts')
  writeFileSync(file, `import { jobs } from './jobs.js'\n${readFileSync(file, 'utf8')}`)
}

/** Runs a module in a project, with the packages from source. */
export async function runInProject(root: string, script: string): Promise<void> {
  const flags = ['--env-file-if-exists=.env', '--import', 'tsx', '--input-type=module']
  const child = spawn(process.execPath, [...flags, '-e', script], {
    cwd: root,
    env: { ...process.env, NODE_ENV: 'development', ...sourceEnv },
    stdio: ['ignore', 'inherit', 'inherit'],
  })
  expect(await once(child, 'close')).toEqual([0, null])
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
