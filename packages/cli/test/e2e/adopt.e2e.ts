import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type EmbeddedMongo, startEmbeddedMongo } from '@create-api/embedded-mongo'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type ApplicationName, copyApplicationTo } from '../adopt/applications.ts'
import { readTree } from '../run-program.ts'
import { type Registry, startRegistry } from './start-registry.ts'
import { createMachine, type Machine } from './user-machine.ts'

interface Application {
  readonly name: ApplicationName
  /** Variable with the URI of the database. */
  readonly database: string
  /** Further variables. */
  readonly settings: Readonly<Record<string, string>>
  /** What registers an account in the old way, and what it sends. */
  readonly register: string
  readonly account: Readonly<Record<string, string>>
  /** What logs in in the old way, and the status of a success. */
  readonly login: string
  readonly loginStatus: number
  /** Two of its models, as resources. */
  readonly resources: readonly string[]
  /** A document of the first resource. */
  readonly document: Readonly<Record<string, unknown>>
  /** Command that starts it. */
  readonly serve: string
}

const password = 'correct horse battery'
const applications: readonly Application[] = [
  {
    name: 'joi-modules',
    database: 'MONGO_URL',
    settings: {},
    register: '/auth/register',
    account: { name: 'Ada', email: 'ada@example.org', password },
    login: '/auth/login',
    loginStatus: 200,
    resources: [
      'books --from-model src/models/book.js',
      'reviews --from-model src/models/review.js',
    ],
    document: { title: 'SICP', pages: 657 },
    serve: 'node src/server.js',
  },
  {
    name: 'callbacks-commonjs',
    database: 'MONGO_URL',
    settings: {},
    register: '/register',
    account: { nickname: 'ada', email: 'ada@example.org', password },
    login: '/login',
    loginStatus: 302,
    resources: ['messages text:string', 'tags label:string'],
    document: { text: 'hello' },
    serve: 'node bin/www',
  },
  {
    name: 'layered-typescript',
    database: 'MONGODB_URL',
    settings: { JWT_SECRET: 'not-very-long' },
    register: '/v1/auth/register',
    account: { name: 'Ada', email: 'ada@example.org', password },
    login: '/v1/auth/login',
    loginStatus: 200,
    resources: ['tasks title:string done:boolean:default=false', 'labels name:string'],
    document: { title: 'write tests' },
    serve: 'npm run build && node dist/index.js',
  },
]

const bin = fileURLToPath(new URL('../../bin/create-api.js', import.meta.url))

let folder: string
let registry: Registry
let mongo: EmbeddedMongo

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'create-api-adopt-'))
  const tarballs = join(folder, 'tarballs')
  mkdirSync(tarballs)
  registry = await startRegistry(tarballs)
  mongo = await startEmbeddedMongo({ storage: { memory: true }, port: 0 })
})

afterAll(async () => {
  registry.close()
  await mongo.stop()
  rmSync(folder, { recursive: true, force: true })
})

// The registry of this test has the packages, so it is not the one here.
describe.each([
  ['joi-modules', 'books --from-model src/models/book.js'],
  ['callbacks-commonjs', 'messages text:string'],
] as const)('an application adopted from a clone: %s', (name, resource) => {
  it('installs and tests the API without a registry that has it, and is as before when undone', async () => {
    const machine = createMachine(join(folder, `clone-${name}`), registry.upstream, [])
    const root = join(machine.folder, 'application')
    copyApplicationTo(root, name)
    const run = async (line: string): Promise<string> => {
      const { code, stderr, stdout } = await machine.run(line, root)
      if (code !== 0) throw new Error(`${line}: exit ${code}\n${stdout}\n${stderr}`)
      return stdout
    }
    await run('npm install --no-audit --no-fund')
    const before = readTree(root)
    await run(`node '${bin}' adopt --yes`)
    await run('npm install --no-audit --no-fund')
    await run(`npx --no-install api generate resource ${resource}`)
    expect(await run('npm run test:api')).toMatch(/Test Files .*1 passed/)
    await run('npx --no-install create-api adopt --undo --yes')
    await run('npm install --no-audit --no-fund')
    const after = readTree(root)
    expect([...after.keys()]).toEqual([...before.keys()])
    expect(after).toEqual(before)
  })
})

describe.each(applications)('an adopted application: $name', (application) => {
  const { account, database, name } = application
  let machine: Machine
  let root: string
  let uri: string
  let before: ReadonlyMap<string, string>

  beforeAll(() => {
    machine = createMachine(join(folder, name), registry.url, [])
    root = join(folder, name, 'application')
    copyApplicationTo(root, name)
    const address = new URL(mongo.uri)
    address.pathname = name
    uri = address.href
  })

  afterAll(() => machine.shutDown())

  async function run(line: string): Promise<string> {
    const { code, stderr, stdout } = await machine.run(`export ${database}='${uri}'\n${line}`, root)
    if (code !== 0) throw new Error(`${line}: exit ${code}\n${stdout}\n${stderr}`)
    return stdout + stderr
  }

  function readAll(): ReadonlyMap<string, string> {
    return new Map([...readTree(root), ['.env', readEnvironment()]])
  }

  function readEnvironment(): string {
    try {
      return readFileSync(join(root, '.env'), 'utf8')
    } catch {
      return 'none'
    }
  }

  async function send(url: string, body?: object, headers: Record<string, string> = {}) {
    const response = await fetch(url, {
      method: body === undefined ? 'GET' : 'POST',
      redirect: 'manual',
      headers: { 'content-type': 'application/json', ...headers },
      body: body === undefined ? null : JSON.stringify(body),
    })
    const text = await response.text()
    const json = text.startsWith('{') ? JSON.parse(text) : {}
    return { status: response.status, json }
  }

  function serve() {
    return machine.serve(`exec bash -c '${application.serve}'`, root, {
      [database]: uri,
      ...application.settings,
    })
  }

  it('has green tests and an account before', async () => {
    await run('npm install --no-audit --no-fund')
    await run('npm test')
    before = readAll()
    const service = await serve()
    const { status } = await send(service.url + application.register, account)
    expect([201, 302]).toContain(status)
    await service.stop()
  })

  it('is adopted, with two of its models as resources and green tests', async () => {
    await run('npx --yes create-api adopt --yes')
    await run('npm install --no-audit --no-fund')
    for (const resource of application.resources) {
      await run(
        `npx --no-install api generate resource ${resource} --access read=public,write=user`,
      )
    }
    await run('npm test')
    expect(await run('npm run test:api')).toMatch(/Test Files .*2 passed/)
  })

  it('logs accounts in by both ways, and accepts tokens of the application', async () => {
    const service = await serve()
    const { url } = service
    const { email = '' } = account
    const login = await send(`${url}/api/v1/auth/login`, { email, password })
    expect(login).toMatchObject({ status: 200, json: { data: { user: { email } } } })
    const wrong = { email, password: 'wrong wrong wrong' }
    expect((await send(`${url}/api/v1/auth/login`, wrong)).status).toBe(401)
    const headers = { authorization: `Bearer ${login.json.data.accessToken}` }
    expect((await send(`${url}/api/v1/auth/me`, undefined, headers)).status).toBe(200)

    const old = await send(url + application.login, { email, password })
    expect(old.status).toBe(application.loginStatus)
    const { email: _email, password: _password, nickname: _nickname, ...fields } = account
    const registration = { ...fields, email: 'new@example.org', password }
    expect((await send(`${url}/api/v1/auth/register`, registration)).status).toBe(201)
    const taken = await send(`${url}/api/v1/auth/register`, registration)
    expect(taken.status).toBe(409)
    const registered = { email: 'new@example.org', password }
    expect((await send(url + application.login, registered)).status).toBe(application.loginStatus)

    const { document } = application
    const [plural = ''] = application.resources[0]?.split(' ') ?? []
    expect((await send(`${url}/api/${plural}`, document)).status).toBe(401)
    expect((await send(`${url}/api/${plural}`, document, headers)).status).toBe(201)
    if (typeof old.json.token === 'string') {
      const token = { authorization: `Bearer ${old.json.token}` }
      expect((await send(`${url}/api/${plural}`, document, token)).status).toBe(201)
    }
    expect((await send(`${url}/api/${plural}`)).json.meta.total).toBeGreaterThan(0)
    await service.stop()
  })

  it('is what it was after the adoption is undone', async () => {
    await run('npx create-api adopt --undo --yes')
    await run('npm install --no-audit --no-fund')
    expect(readAll()).toEqual(before)
    await run('npm test')
  })
})
