import { execFileSync, spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { startEmbeddedMongo } from '@create-api/embedded-mongo'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { installNodes, toNodePath } from '../../../../scripts/check/node-versions.js'
import { buildImage, readDockerfile } from './dockerfile.ts'
import { type Registry, startRegistry } from './start-registry.ts'
import { createMachine, type Machine, type Service } from './user-machine.ts'

interface Manager {
  readonly name: string
  /** The command a user makes a project with. */
  readonly create: string
  readonly run: string
  readonly exec: string
}

const managers: readonly Manager[] = [
  { name: 'npm', create: 'npx --yes create-api', run: 'npm run', exec: 'npx --no-install' },
  { name: 'pnpm', create: 'pnpm create api', run: 'pnpm run', exec: 'pnpm exec' },
  { name: 'yarn', create: 'yarn create api', run: 'yarn run', exec: 'yarn run' },
  { name: 'bun', create: 'bun create api', run: 'bun run', exec: 'bunx --no-install' },
]

// The short form tries npm and pnpm, and others that are present, on the running Node. PUBLISHED=all tries every one on
// each supported Node; `-t "bun on Node 24"` selects one. npm comes with Node, the others are installed for the test.
const isComplete = process.env['PUBLISHED'] === 'all'
const nodes = isComplete ? ['20', '22', '24', '26'] : [process.versions.node]
const isPresent = ({ name }: Manager): boolean =>
  isComplete || ['npm', 'pnpm'].includes(name) || spawnSync(name, ['--version']).status === 0
const consumers = nodes.flatMap((node) =>
  managers
    .filter(isPresent)
    .map((manager) => [`${manager.name} on Node ${node}`, { ...manager, node }] as const),
)

let folder: string
let registry: Registry
let tools: string

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'create-api-published-'))
  const tarballs = join(folder, 'tarballs')
  tools = join(folder, 'tools')
  mkdirSync(tarballs)
  registry = await startRegistry(tarballs)
  const others = isComplete ? ['yarn@1', 'bun@1'] : []
  const install = ['install', '--prefix', tools, '--no-audit', '--no-fund', 'pnpm@12', ...others]
  execFileSync('npm', install, { stdio: 'ignore' })
  if (isComplete) installNodes(nodes)
})

afterAll(() => {
  registry.close()
  rmSync(folder, { recursive: true, force: true })
})

describe.each(consumers)('published, with %s', (_title, manager) => {
  let machine: Machine
  let root: string

  beforeAll(() => {
    const own = join(folder, `${manager.name}-${manager.node}`)
    const node = isComplete ? [dirname(toNodePath(manager.node))] : []
    machine = createMachine(own, registry.url, [...node, join(tools, 'node_modules/.bin')])
    root = join(own, 'my-service')
  })

  afterAll(() => machine.shutDown())

  async function run(line: string, cwd = root): Promise<string> {
    const { code, stderr, stdout } = await machine.run(line, cwd)
    if (code !== 0) throw new Error(`${line}: exit ${code}\n${stdout}\n${stderr}`)
    return stdout + stderr
  }

  it('is created by one command and committed, with a secret that git ignores', async () => {
    const output = await run(`${manager.create} my-service --yes`, machine.folder)
    expect(output).toContain('my-service created in')
    expect(output).toContain(`install    ${manager.name} in`)
    expect(await run('git status --porcelain --ignored')).toBe('!! .env\n!! node_modules/\n')
    expect(statSync(join(root, '.env')).mode & 0o777).toBe(0o600)
  })

  it('does what its README says, command by command', async () => {
    const { exec, name, run: script } = manager
    const outputs: [line: string, output: string][] = []
    let service: Service | undefined
    for (const line of readCommands(readFileSync(join(root, 'README.md'), 'utf8'))) {
      if (line === `${script} dev`) service = await machine.serve(line, root)
      else outputs.push([line, await run(toCommand(line, service))])
      if (line.includes(' api generate resource ')) await service?.restarted()
    }
    const answerOf = (start: string): string =>
      outputs.findLast(([line]) => line.startsWith(start))?.[1] ?? ''
    expect(answerOf(`${name} install`)).not.toMatch(/warn/i)
    expect(answerOf(`${script} test`)).toContain('src/resources/posts/posts.test.ts')
    expect(answerOf(`${exec} api generate`)).toContain('create     src/resources/posts/')
    expect(answerOf(`${exec} api users`)).toContain('ada@example.com')
    expect(JSON.parse(answerOf('curl http://localhost:3000/health'))).toMatchObject({
      status: 'pass',
    })
    expect(JSON.parse(answerOf('curl -X POST'))).toMatchObject({
      data: { title: 'Hello', body: 'World', tags: [] },
    })
    if (service === undefined) throw new Error('The README starts no service.')
    await service.stop()
  })

  it('has scripts that all work', async () => {
    const readme = readFileSync(join(root, 'README.md'), 'utf8')
    const table = readme.slice(readme.indexOf('## Scripts'), readme.indexOf('## Where'))
    const named = [...table.matchAll(/`([\w:]+)`/g)].map(([, name = '']) => name)
    expect(named).toEqual(
      expect.arrayContaining(['dev', 'test', 'test:watch', 'check', 'build', 'start', 'format']),
    )
    // check is format:check, lint, typecheck and test.
    const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
    for (const name of ['format:check', 'lint', 'typecheck', 'test']) {
      expect(scripts.check).toContain(`${manager.run} ${name}`)
    }
    const check = await run(`${manager.run} check`)
    expect(check).toContain('All matched files use the correct format')
    expect(check).toContain('src/resources/posts/posts.test.ts')
    expect(await run(`${manager.run} test:watch`)).toContain('2 passed')
    await run(`${manager.run} format`)
    await run(`${manager.run} build`)
    const service = await machine.serve(`${manager.run} start`, root)
    await callEveryRoute(service)
    await service.stop()
  })

  it('builds as its Dockerfile says, and runs in production without development packages', async () => {
    const database = await startEmbeddedMongo({ storage: { memory: true }, port: 0 })
    onTestFinished(() => database.stop())
    const image = await buildImage(machine, root)
    const instructions = readDockerfile(join(root, 'Dockerfile'))
    const words = (name: string): string[] =>
      JSON.parse(
        /\[.*\]$/.exec(instructions.findLast((line) => line.name === name)?.rest ?? '')?.[0] ?? '',
      )
    const quoted = (list: string[]): string =>
      list.map((word) => `'${word.replaceAll("'", `'\\''`)}'`).join(' ')
    const settings = {
      NODE_ENV: 'production',
      MONGODB_URI: database.uri,
      JWT_SECRET: 'c2VjcmV0IG9mIHRoaXJ0eS10d28gcmFuZG9tIGJ5dGVzIQ',
    }
    const modules = join(image, 'node_modules')
    for (const name of ['vitest', 'supertest']) expect(readdirSync(modules)).not.toContain(name)
    expect(readdirSync(join(modules, '@create-api'))).toEqual(['core'])
    if (manager.name === 'npm') expectSmallInstallation(modules)
    const refused = await machine.run(`NODE_ENV=production ${quoted(words('CMD'))}`, image)
    expect(refused.code).not.toBe(0)
    expect(refused.stdout + refused.stderr).toContain('MONGODB_URI')
    const embedded = await machine.run(
      `NODE_ENV=production JWT_SECRET=${settings.JWT_SECRET} MONGODB_URI=embedded:memory ${quoted(words('CMD'))}`,
      image,
    )
    expect(embedded.code).not.toBe(0)
    expect(embedded.stdout + embedded.stderr).toContain('The embedded database is not installed.')
    const service = await machine.serve(`exec ${quoted(words('CMD'))}`, image, settings)
    await callEveryRoute(service)
    const port = new URL(service.url).port
    const healthy = await machine.run(`PORT=${port} ${quoted(words('HEALTHCHECK'))}`, image)
    expect(healthy.code).toBe(0)
    expect(await service.stop()).toBe(0)
    const ill = await machine.run(`PORT=${port} ${quoted(words('HEALTHCHECK'))}`, image)
    expect(ill.code).toBe(1)
  })

  it('goes back to its first commit when the resource is destroyed', async () => {
    await run(`${manager.exec} api destroy resource posts`)
    expect(await run('git status --porcelain')).toBe('')
    expect(await run(`${manager.run} test`)).toContain('test/app.test.ts')
  })
})

// What docs/decisions/041 allows.
function expectSmallInstallation(modules: string): void {
  const { packages } = JSON.parse(readFileSync(join(modules, '.package-lock.json'), 'utf8'))
  const files = readdirSync(modules, { recursive: true, withFileTypes: true })
  const sizes = files
    .filter((file) => file.isFile())
    .map((file) => statSync(join(file.parentPath, file.name)).size)
  expect(Object.keys(packages).length).toBeLessThanOrEqual(130)
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(35_000_000)
}

// The lines of the blocks of shell code, without their comments.
function readCommands(readme: string): readonly string[] {
  return [...readme.matchAll(/```sh\n([\s\S]*?)```/g)]
    .flatMap(([, block = '']) => block.trim().split('\n'))
    .map((line) => line.replace(/ +# .*/, ''))
}

function toCommand(line: string, service: Service | undefined): string {
  const here = line.replaceAll('http://localhost:3000', service?.url ?? '')
  if (line.startsWith('curl ')) return `${here} --silent --show-error`
  // A person would type it.
  const password = "echo 'a long passphrase' |"
  return line.includes(' users create ') ? `${password} ${line} --password-stdin` : here
}

async function callEveryRoute({ url }: Service): Promise<void> {
  const send = async (method: string, path: string, body?: object): Promise<[number, unknown]> => {
    const response = await fetch(`${url}/api/posts${path}`, {
      method,
      headers: { 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    return [response.status, text === '' ? undefined : JSON.parse(text).data]
  }
  const [created, post] = await send('POST', '', { title: 'One', body: 'Text', tags: ['a'] })
  expect(created).toBe(201)
  const path = `/${(post as { id: string }).id}`
  expect(await send('GET', path)).toMatchObject([200, { title: 'One' }])
  expect(await send('GET', '?limit=1')).toMatchObject([200, [{}]])
  expect(await send('PUT', path, { title: 'Two', body: 'Text' })).toMatchObject([200, { tags: [] }])
  expect(await send('PATCH', path, { body: 'More' })).toMatchObject([200, { title: 'Two' }])
  expect(await send('DELETE', path)).toEqual([204, undefined])
  expect(await send('GET', path)).toEqual([404, undefined])
}
