import { randomUUID } from 'node:crypto'
import { type Api, createApi, createRegistry } from '@create-api/core'
import { createTenants } from '@create-api/core/tenants'
import { createTestClient, type TestClient } from '@create-api/core/testing'
import mongoose from 'mongoose'
import { afterEach, describe, expect, it } from 'vitest'
import { createRandom, type Random } from '../random.ts'
import { createPapersRouter, forgotten } from './papers.ts'

// Members of one organization send random requests, with ids, cursors, ETags and keys of another one.

type From = 'path' | 'header' | 'token'

const runs = Number(process.env['TENANT_RUNS'] ?? 300)
// In everything that belongs to the other organization.
const marker = 'globex'
const absent = '000000000000000000000000'

interface Sent {
  readonly method: string
  readonly path: string
  readonly headers?: Record<string, string>
  readonly body?: unknown
}

interface Received {
  readonly status: number
  readonly text: string
  readonly headers: Headers
}

interface Person {
  readonly id: string
  send(organization: string, request: Sent): Promise<Received>
}

interface Side {
  readonly organization: string
  readonly admin: Person
  readonly plain: Person
  readonly papers: string[]
  readonly etags: string[]
  readonly cursors: string[]
}

/** An API with organizations, and two of them with papers. */
class World {
  readonly current = new Map<string, string>()
  readonly api: Api
  readonly #from: From
  #client: TestClient | undefined

  constructor(from: From) {
    this.#from = from
    const claims = {
      namespace: 'https://example.com/claims',
      create: ({ id }: { readonly id: string }) => ({ organization: this.current.get(id) }),
    }
    this.api = createApi({
      routes: createRegistry().use(this.papersPath(':org'), createPapersRouter(from === 'path')),
      tenants: createTenants({ from, roles: ['editor'] }),
      auth: { claims },
      environment: 'test',
      rateLimit: false,
    })
  }

  async start(): Promise<void> {
    this.#client = await createTestClient(this.api)
  }

  async stop(): Promise<void> {
    await this.#client?.stop()
  }

  papersPath(organization: string): string {
    return this.#from === 'path' ? `/api/orgs/${organization}/papers` : '/api/papers'
  }

  async signUp(name: string): Promise<Person> {
    const email = `${name}-${randomUUID()}@example.org`
    const user = await this.#client?.signUp({ email })
    const id = user?.user.id ?? ''
    const tokens = new Map<string, string>()
    const toToken = async (organization: string): Promise<string> => {
      if (this.#from !== 'token') return user?.accessToken ?? ''
      this.current.set(id, organization)
      const known = tokens.get(organization)
      const token = known ?? (await this.api.auth?.issueTokens({ id }))?.accessToken ?? ''
      tokens.set(organization, token)
      return token
    }
    return {
      id,
      send: async (organization, { method, path, headers, body }) => {
        const response = await fetch(`${this.#client?.url}${path}`, {
          method,
          headers: {
            Authorization: `Bearer ${await toToken(organization)}`,
            ...(this.#from === 'header' && { 'X-Organization': organization }),
            ...(body !== undefined && { 'Content-Type': 'application/json' }),
            ...headers,
          },
          body: body === undefined ? null : JSON.stringify(body),
        })
        return { status: response.status, text: await response.text(), headers: response.headers }
      },
    }
  }

  async createSide(name: string): Promise<Side> {
    const [admin, plain] = [await this.signUp(name), await this.signUp(name)]
    const { id: organization = '' } = (await this.api.tenants?.create(name, admin.id)) ?? {}
    await this.api.tenants?.addMember({ organization, user: plain.id })
    const side: Side = { organization, admin, plain, papers: [], etags: [], cursors: [] }
    const path = this.papersPath(organization)
    for (let count = 0; count < 4; count += 1) {
      const body = { title: `${name} ${count}`, tags: [name], follows: side.papers[0] }
      const headers = { 'Idempotency-Key': `"${count}"` }
      const created = await admin.send(organization, { method: 'POST', path, headers, body })
      side.papers.push(JSON.parse(created.text).data.id)
      side.etags.push(created.headers.get('etag') ?? '')
    }
    const list = await admin.send(organization, { method: 'GET', path: `${path}?cursor=&limit=1` })
    side.cursors.push(JSON.parse(list.text).meta.nextCursor)
    return side
  }
}

/** Everything that is stored of an organization. */
async function readStored(organization: string): Promise<unknown> {
  const { db } = mongoose.connection
  const id = new mongoose.Types.ObjectId(organization)
  const read = async (name: string, field = 'organization'): Promise<unknown> =>
    db
      ?.collection(name)
      .find({ [field]: id })
      .sort({ _id: 1 })
      .toArray()
  const stored = await Promise.all([
    read('papers'),
    read('memberships'),
    read('invitations'),
    read('organizations', '_id'),
  ])
  return stored.flat()
}

/** One random request, to a random organization. */
function draw(world: World, random: Random, sides: readonly [Side, Side]): [string, Sent] {
  const [own, other] = sides
  const { organization } = random.pick([own, own, own, other])
  const ids = [...own.papers, ...other.papers, absent]
  const id = random.pick([absent, ...ids])
  const user = random.pick([own.plain.id, other.admin.id, other.plain.id, absent])
  const papers = world.papersPath(organization)
  const org = `/api/orgs/${organization}`
  const paper = {
    title: `acme ${random.below(1000)}`,
    ...(random.below(2) === 0 && { follows: random.pick([absent, ...ids]) }),
    ...(random.below(8) === 0 && { organization: other.organization }),
    ...(random.below(8) === 0 && { owner: other.admin.id }),
  }
  const query = new URLSearchParams(
    random.pick<Record<string, string>>([
      {},
      { title: `${marker} 1` },
      { 'title[contains]': marker, sort: '-title' },
      { tags: marker, include: 'follows' },
      { follows: random.pick([absent, ...ids]), include: 'follows', fields: 'title' },
      { q: marker },
      { cursor: random.pick(['', ...other.cursors, ...own.cursors]), limit: '1' },
    ]),
  )
  const list = `${papers}?${query.toString()}`
  const one = `${papers}/${id}`
  const key = { 'Idempotency-Key': `"${random.below(5)}"` }
  const match = { 'If-Match': random.pick(['*', ...other.etags, ...own.etags]) }
  const none = { 'If-None-Match': random.pick(['*', ...other.etags]) }
  const roles = random.pick([[], ['editor'], ['admin']])
  const requests: readonly [Sent, ...Sent[]] = [
    { method: 'GET', path: list },
    { method: 'GET', path: list },
    { method: 'GET', path: one, headers: none },
    { method: 'GET', path: `${one}?include=follows` },
    { method: 'POST', path: papers, headers: key, body: paper },
    { method: 'PUT', path: one, body: paper },
    { method: 'PUT', path: one, headers: match, body: paper },
    { method: 'PATCH', path: one, body: paper },
    { method: 'PATCH', path: one, headers: match, body: { tags: null, follows: paper.follows } },
    { method: 'DELETE', path: one },
    { method: 'DELETE', path: one },
    { method: 'DELETE', path: one, ...(random.below(2) === 0 && { headers: match }) },
    { method: 'GET', path: org },
    { method: 'GET', path: '/api/orgs' },
    { method: 'PATCH', path: org, body: { name: 'Acme' } },
    { method: 'GET', path: `${org}/members` },
    { method: 'POST', path: `${org}/invitations`, body: { roles } },
    { method: 'POST', path: `${org}/members`, body: { token: 'x'.repeat(43) } },
    { method: 'PUT', path: `${org}/members/${user}`, body: { roles: ['editor'] } },
    { method: 'DELETE', path: `${org}/members/${user === own.plain.id ? absent : user}` },
  ]
  return [organization, random.pick(requests)]
}

interface Outcome {
  readonly leaks: string[]
  readonly statuses: Map<number, number>
}

async function attack(world: World, seed: number): Promise<Outcome> {
  const random = createRandom(seed)
  const [own, other] = [await world.createSide('acme'), await world.createSide(marker)]
  const before = await readStored(other.organization)
  expect(before).toHaveLength(4 + 2 + 1)
  const outcome: Outcome = { leaks: [], statuses: new Map() }
  const { leaks, statuses } = outcome
  for (let run = 0; run < runs; run += 1) {
    const person = random.pick([own.admin, own.plain])
    const [organization, sent] = draw(world, random, [own, other])
    const { status, text } = await person.send(organization, sent)
    const line = `${sent.method} ${sent.path} ${JSON.stringify(sent.body)} was ${status}`
    statuses.set(status, (statuses.get(status) ?? 0) + 1)
    const isForeign = organization === other.organization && sent.path !== '/api/orgs'
    if (status >= 500) leaks.push(`${line}: ${text}`)
    if (isForeign && status < 400) leaks.push(`${line} in the other organization`)
    if (text.includes(marker)) leaks.push(`${line} and showed ${text.slice(0, 100)}`)
    const refers = other.papers.some((id) => text.includes(`"follows":"${id}"`))
    if (refers) leaks.push(`${line} and refers to the other organization`)
    const isNew = sent.method === 'POST' && sent.path === world.papersPath(organization)
    if (isNew && status === 201) own.papers.push(JSON.parse(text).data.id)
  }
  const after = await readStored(other.organization)
  if (JSON.stringify(after) !== JSON.stringify(before)) leaks.push('the other one was changed')
  return outcome
}

let running: World | undefined

afterEach(async () => {
  forgotten.organizations = false
  await running?.stop()
  running = undefined
})

async function startWorld(from: From): Promise<World> {
  const world = new World(from)
  running = world
  await world.start()
  return world
}

describe.each(['path', 'header', 'token'] as const)("two organizations, from: '%s'", (from) => {
  it('never meet', async () => {
    const { leaks, statuses } = await attack(await startWorld(from), 20_260_131)
    expect(leaks).toEqual([])
    for (const status of [200, 201, 204, 403, 404, 422]) {
      expect(statuses.has(status), `no ${status}`).toBe(true)
    }
  })
})

describe('this test', () => {
  it('notices queries that forget the organization', async () => {
    const world = await startWorld('path')
    forgotten.organizations = true
    const { leaks } = await attack(world, 20_260_131)
    const text = leaks.join('\n')
    expect(text).toMatch(/and showed/)
    expect(text).toMatch(/and refers to the other organization/)
    expect(text).toMatch(/was changed/)
  })
})
