import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startEmbeddedMongo } from '@create-api/embedded-mongo'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { parse } from 'yaml'
import { buildImage } from './dockerfile.ts'
import { type Registry, startRegistry } from './start-registry.ts'
import { createMachine, type Machine } from './user-machine.ts'

interface Manager {
  readonly name: string
  readonly create: string
  readonly run: string
  /** Files of the root of the workspace besides the manifests. */
  readonly settings: Readonly<Record<string, string>>
  readonly packages: readonly string[]
}

const managers: readonly Manager[] = [
  { name: 'npm', create: 'npx --yes create-api', run: 'npm run', settings: {}, packages: [] },
  {
    name: 'pnpm',
    create: 'pnpm create api',
    run: 'pnpm run',
    settings: { 'pnpm-workspace.yaml': "packages:\n  - 'apps/*'\n  - 'packages/*'\n" },
    packages: ['pnpm@12'],
  },
  {
    name: 'yarn',
    create: 'npx --yes create-api --pm yarn',
    run: 'yarn run',
    settings: {},
    packages: ['yarn@1'],
  },
]

let folder: string
let registry: Registry

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'create-api-workspaces-'))
  const tarballs = join(folder, 'tarballs')
  mkdirSync(tarballs)
  registry = await startRegistry(tarballs)
  for (const { name, packages } of managers) {
    if (packages.length === 0) continue
    const args = ['install', '--prefix', join(folder, 'tools', name), '--no-audit', '--no-fund']
    execFileSync('npm', [...args, ...packages], { stdio: 'ignore' })
  }
})

afterAll(() => {
  registry.close()
  rmSync(folder, { recursive: true, force: true })
})

describe.each(managers)('a member of a workspace of $name', (manager) => {
  let machine: Machine
  let workspace: string
  let root: string

  beforeAll(async () => {
    const own = join(folder, manager.name)
    const bin = join(folder, 'tools', manager.name, 'node_modules/.bin')
    machine = createMachine(own, registry.url, [bin])
    workspace = join(own, 'company')
    root = join(workspace, 'apps/api')
    for (const name of ['apps', 'packages/shared']) {
      mkdirSync(join(workspace, name), { recursive: true })
    }
    const manifest = {
      name: 'company',
      private: true,
      workspaces:
        manager.settings['pnpm-workspace.yaml'] === undefined
          ? ['apps/*', 'packages/*']
          : undefined,
    }
    write('package.json', JSON.stringify(manifest))
    for (const [file, text] of Object.entries(manager.settings)) write(file, text)
    write('.gitignore', 'node_modules\n')
    const shared = { name: '@company/shared', version: '1.0.0', type: 'module', main: 'index.js' }
    write('packages/shared/package.json', JSON.stringify(shared))
    write('packages/shared/index.js', "export const greeting = 'hello'\n")
    await run('git init --quiet', workspace)
  })

  afterAll(() => machine.shutDown())

  function write(file: string, text: string): void {
    writeFileSync(join(workspace, file), text)
  }

  async function run(line: string, cwd = root): Promise<string> {
    const { code, stderr, stdout } = await machine.run(line, cwd)
    if (code !== 0) throw new Error(`${line}: exit ${code}\n${stdout}\n${stderr}`)
    return stdout + stderr
  }

  it('is created and installed with the lock file of the workspace', async () => {
    const output = await run(`${manager.create} apps/api --yes`, workspace)
    expect(output).toContain(`skipped: the workspace ${workspace} has its own`)
    expect(output).toContain(`GitHub reads workflows in ${workspace} only`)
    const lockfiles = ['package-lock.json', 'pnpm-lock.yaml', 'yarn.lock']
    expect(lockfiles.filter((file) => existsSync(join(root, file)))).toEqual([])
    expect(lockfiles.filter((file) => existsSync(join(workspace, file)))).toHaveLength(1)
    expect(existsSync(join(root, '.github'))).toBe(false)
    expect(await run('git status --porcelain --ignored', workspace)).toContain('!! apps/api/.env\n')
  })

  it('does what the workflow of its README says', async () => {
    const readme = readFileSync(join(root, 'README.md'), 'utf8')
    const [, file = '', text = ''] =
      /As `(\S+)` there:\n\n```yaml\n([\s\S]*?)```/.exec(readme) ?? []
    expect(file).toBe('.github/workflows/api.yml')
    const { defaults, steps } = parse(text).jobs.check
    const directory = join(workspace, defaults.run['working-directory'])
    expect(directory).toBe(root)
    const commands = steps.flatMap(({ run: line }: { run?: string }) => line ?? [])
    expect(commands.length).toBeGreaterThan(2)
    for (const line of commands) if (!line.includes('--global')) await run(line, directory)
  })

  it('has an image that serves, with the package that it depends on and without others', async () => {
    const database = await startEmbeddedMongo({ storage: { memory: true }, port: 0 })
    onTestFinished(() => database.stop())
    const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
    const range = manager.name === 'pnpm' ? 'workspace:*' : '1.0.0'
    manifest.dependencies['@company/shared'] = range
    write('apps/api/package.json', JSON.stringify(manifest))
    const server = readFileSync(join(root, 'src/server.ts'), 'utf8')
    write(
      'apps/api/src/server.ts',
      `// @ts-expect-error It has no types.\nimport { greeting } from '@company/shared'\n${server}\nconsole.log(greeting)\n`,
    )
    await run(`${manager.name} install`, workspace)
    const readme = readFileSync(join(root, 'README.md'), 'utf8')
    const [, dockerfile = ''] = /`docker build -f (\S+) -t api \.` in the root/.exec(readme) ?? []
    const compose = parse(readFileSync(join(root, 'compose.yaml'), 'utf8'))
    expect(compose.services.service.build).toEqual({ context: '../..', dockerfile })
    const image = await buildImage(machine, workspace, dockerfile)
    expect(existsSync(join(image, '.env'))).toBe(false)
    for (const place of [image, join(image, '../..')]) {
      for (const name of ['vitest', 'supertest', 'create-api']) {
        expect(existsSync(join(place, 'node_modules', name))).toBe(false)
      }
    }
    const settings = {
      NODE_ENV: 'production',
      MONGODB_URI: database.uri,
      JWT_SECRET: 'c2VjcmV0IG9mIHRoaXJ0eS10d28gcmFuZG9tIGJ5dGVzIQ',
    }
    const service = await machine.serve('exec node dist/server.js', image, settings)
    const response = await fetch(`${service.url}/health/ready`)
    expect(response.status).toBe(200)
    await service.stop()
  })
})
