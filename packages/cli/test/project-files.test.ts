import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { packageManagers } from '../src/lib/create/package-manager.ts'
import { createProjectProgram } from '../src/lib/programs/create-program.ts'
import { createTemporaryFolder, readTree, runProgram } from './run-program.ts'

async function create(manager: string): Promise<string> {
  const cwd = createTemporaryFolder()
  const args = ['my-service', '--yes', '--no-install', '--no-git', '--pm', manager]
  expect((await runProgram(createProjectProgram, args, { cwd })).code).toBe(0)
  return join(cwd, 'my-service')
}

describe.each(packageManagers)('the files of a new project, with %s', (manager) => {
  const lockfile = {
    npm: 'package-lock.json',
    pnpm: 'pnpm-lock.yaml',
    yarn: 'yarn.lock',
    bun: 'bun.lock',
  }
  const frozen = /npm ci|install --frozen-lockfile/

  it('have a Dockerfile with two stages, its own user and a health check', async () => {
    const root = await create(manager)
    const text = readFileSync(join(root, 'Dockerfile'), 'utf8')
    const [build = '', image = ''] = text.split(/^FROM /m).slice(1)
    expect(build).toMatch(frozen)
    expect(build).toContain(`COPY package.json ${lockfile[manager]}`)
    expect(build.indexOf(lockfile[manager])).toBeLessThan(build.indexOf('COPY . .'))
    if (manager !== 'npm' && manager !== 'yarn') expect(build).toContain(`--global ${manager}@`)
    expect(image).toContain('ENV NODE_ENV=production')
    expect(image).not.toContain('COPY . .')
    expect(image.indexOf('USER node')).toBeGreaterThan(0)
    expect(image.indexOf('USER node')).toBeLessThan(image.indexOf('\nCMD ['))
    for (const name of ['HEALTHCHECK', 'CMD']) {
      const list = new RegExp(String.raw`^${name} .*?(\[.*\])$`, 'm').exec(image)?.[1] ?? ''
      expect(JSON.parse(list)[0]).toBe('node')
    }
    const ignored = readFileSync(join(root, '.dockerignore'), 'utf8').split('\n')
    expect(ignored).toEqual(
      expect.arrayContaining(['node_modules', 'dist', '.git', '.env', '.data']),
    )
  })

  it('have a workflow that runs the check on what the lockfile says, and may only read', async () => {
    const root = await create(manager)
    const workflow = parse(readFileSync(join(root, '.github/workflows/ci.yml'), 'utf8'))
    expect(workflow.permissions).toEqual({ contents: 'read' })
    const { steps, strategy } = workflow.jobs.check
    const commands = steps.flatMap(({ run }: { run?: string }) => run ?? [])
    expect(commands.some((line: string) => frozen.test(line))).toBe(true)
    const run = `${manager} run`
    expect(commands.slice(-2)).toEqual([`${run} check`, `${run} build`])
    const setup = steps.find(({ uses = '' }) => uses.startsWith('actions/setup-node@'))
    expect(setup.with['node-version']).toBe('${{ matrix.node }}')
    expect(strategy.matrix.node.length).toBeGreaterThan(1)
  })
})

describe('the files of a new project', () => {
  it('have services that wait for each other and are seen by this machine only', async () => {
    const root = await create('npm')
    const { services, volumes } = parse(readFileSync(join(root, 'compose.yaml'), 'utf8'))
    expect(Object.keys(services)).toEqual(['mongo', 'redis', 'service'])
    for (const name of ['mongo', 'redis']) {
      expect(services[name].healthcheck.test[0]).toBe('CMD')
      expect(services.service.depends_on[name]).toEqual({ condition: 'service_healthy' })
    }
    for (const { ports } of Object.values<{ ports: string[] }>(services)) {
      for (const port of ports) expect(port).toMatch(/^127\.0\.0\.1:\d+:\d+$/)
    }
    expect(services.service.environment).toMatchObject({ NODE_ENV: 'production' })
    expect(Object.keys(volumes)).toEqual(['mongo'])
  })

  it('name only files, scripts and commands that are there', async () => {
    const root = await create('npm')
    const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
    for (const file of ['README.md', 'AGENTS.md']) {
      const text = readFileSync(join(root, file), 'utf8')
      for (const [, script = ''] of text.matchAll(/`?npm run ([\w:]+)/g)) {
        expect(Object.keys(scripts)).toContain(script)
      }
      for (const [, path = ''] of text.matchAll(/`((?:src|test|\.env|\.api)[\w./-]*)`/g)) {
        const later = ['src/resources/', 'src/resources/posts/']
        if (!later.includes(path))
          expect([path, existsSync(join(root, path))]).toEqual([path, true])
      }
    }
    expect(readFileSync(join(root, 'AGENTS.md'), 'utf8').split('\n').length).toBeLessThan(45)
    expect(readFileSync(join(root, 'README.md'), 'utf8').split('\n').length).toBeLessThan(90)
  })

  it('leave the format of what commands write alone', async () => {
    const root = await create('npm')
    const { ignorePatterns } = JSON.parse(readFileSync(join(root, '.oxfmtrc.json'), 'utf8'))
    expect(ignorePatterns).toContain('openapi.json')
  })

  it('are few, and none of them is ignored by git but the secret', async () => {
    const root = await create('npm')
    execFileSync('git', ['init', '--quiet'], { cwd: root })
    const ignored = execFileSync('git', ['status', '--porcelain', '--ignored'], { cwd: root })
    expect(ignored.toString().match(/^!! .*/gm)).toEqual(['!! .env'])
    const own = [...readTree(root).keys()].filter((path) => !path.startsWith('vendor/'))
    expect(own.length).toBeLessThanOrEqual(26)
  })
})
