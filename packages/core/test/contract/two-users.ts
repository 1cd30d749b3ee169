import { sample } from 'fast-check'
import { type TestClient, type TestUser } from '../../src/testing.ts'
import { type Json, toValid } from './arbitrary.ts'
import { type Contract, findLocations, type Operation, readContract } from './contract.ts'

/** Options for {@link findLeaks}. */
export interface LeakOptions {
  /** Paths of the document to try. */
  only: RegExp
  /**
   * Paths of documents that others refer to: they are made first, and each user's documents refer
   * to the user's own.
   * @default undefined
   */
  refersTo?: RegExp
  /**
   * How many documents the first user makes in each collection; at least 2, for cursors.
   * @default 5
   */
  documents?: number
  /**
   * The seed of what is made up.
   * @default 20260131
   */
  seed?: number
}

/** What {@link findLeaks} found, and how much it tried. */
export interface Leaks {
  /** One line for each response that says or does what it should not. */
  readonly leaks: string[]
  /** How many requests the second user sent. */
  readonly requests: number
}

/**
 * Lets one user make documents, and another one try to read and write them: by every operation with
 * access `owner`, on every document, with every parameter of every list, with values that the first
 * user's documents hold, and with the first user's cursors.
 */
export async function findLeaks(client: TestClient, options: LeakOptions): Promise<Leaks> {
  const { body: document } = await client.request.get('/openapi.json').expect(200)
  const [ada, bob] = [await client.signUp(), await client.signUp()]
  const references = [ada.user.id]
  const contract = readContract(document, { only: options.only, references })
  const trial = createTrial(client, contract, { ...options, references })
  const adas = await trial.createAs(ada, options.documents ?? 5)
  const bobs = await trial.createAs(bob, 2)
  const before = await trial.readAs(ada, adas)
  const state: Try = { trial, bob, ada, adas, bobs, leaks: [] }
  for (const operation of trial.owned) {
    if (operation.path.includes('{')) await tryDocuments(operation, state)
    if (operation.method === 'GET' && isList(operation)) await tryList(operation, state)
  }
  const after = await trial.readAs(ada, adas)
  for (const [location, text] of before) {
    if (after.get(location) !== text) state.leaks.push(`${location} was changed`)
  }
  return { leaks: state.leaks, requests: trial.requests }
}

interface Try {
  readonly trial: Trial
  readonly ada: TestUser
  readonly bob: TestUser
  /** Paths of what the first user made. */
  readonly adas: readonly string[]
  /** Paths of what the second user made. */
  readonly bobs: readonly string[]
  readonly leaks: string[]
}

interface Sent {
  readonly status: number
  readonly text: string
  readonly location: string | null
}

interface Request {
  readonly method: string
  readonly url: string
  readonly headers?: object
  readonly body?: unknown
}

interface Trial {
  readonly owned: readonly Operation[]
  readonly requests: number
  toBody(operation: Operation): unknown
  send(user: TestUser, request: Request): Promise<Sent>
  createAs(user: TestUser, count: number): Promise<string[]>
  readAs(user: TestUser, locations: readonly string[]): Promise<Map<string, string>>
}

interface TrialOptions extends LeakOptions {
  /** What fields that refer to documents may hold; filled with what is made. */
  readonly references: string[]
}

function createTrial(
  client: TestClient,
  { operations, resolve }: Contract,
  { references, refersTo, seed = 20_260_131 }: TrialOptions,
): Trial {
  let made = 0
  let requests = 0
  const owned = operations.filter(({ definition }) => definition['x-access'] === 'owner')
  const trial: Trial = {
    owned,
    get requests() {
      return requests
    },
    toBody({ body }) {
      made += 1
      return body && sample(toValid(body.schema, resolve), { seed: seed + made, numRuns: 1 })[0]
    },
    async send(user, { method, url, headers, body }) {
      requests += 1
      const response = await fetch(client.url + url, {
        method,
        headers: {
          ...user.headers,
          ...headers,
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        },
        body: body === undefined ? null : JSON.stringify(body),
      })
      const location = response.headers.get('location')
      return { status: response.status, location, text: await response.text() }
    },
    async createAs(user, count) {
      const locations: string[] = []
      // Parents first: what lies under them needs their paths.
      const creators = owned
        .filter(({ method, definition }) => method === 'POST' && has(definition, '201'))
        .toSorted((a, b) => a.path.length - b.path.length)
        .toSorted((a, b) => toRank(a, refersTo) - toRank(b, refersTo))
      for (const creator of creators) {
        for (const parent of toTargets(creator.path, locations)) {
          locations.push(...(await createSome(trial, { user, creator, url: parent, count })))
        }
        const referredTo = locations.filter((location) => refersTo?.test(location))
        if (referredTo.length > 0) references.splice(0, Infinity, ...referredTo.map(toId))
      }
      return locations
    },
    async readAs(user, locations) {
      const texts = new Map<string, string>()
      for (const url of locations) {
        texts.set(url, (await trial.send(user, { method: 'GET', url })).text)
      }
      return texts
    },
  }
  return trial
}

// What others refer to comes first.
function toRank({ path }: Operation, refersTo: RegExp | undefined): number {
  return refersTo?.test(`${path}/`) ? 0 : 1
}

function toId(location: string): string {
  return location.split('/').at(-1) ?? location
}

interface Creation {
  readonly user: TestUser
  readonly creator: Operation
  readonly url: string
  readonly count: number
}

async function createSome(trial: Trial, { user, creator, url, count }: Creation) {
  const locations: string[] = []
  // What is made up may be refused for reasons the document does not say, such as a duplicate.
  for (let tries = 0; locations.length < count && tries < count * 10; tries++) {
    const sent = await trial.send(user, { method: 'POST', url, body: trial.toBody(creator) })
    if (sent.status === 201 && sent.location !== null) locations.push(sent.location)
  }
  if (locations.length < count) throw new Error(`POST ${url} took none of ${count * 10} bodies.`)
  return locations
}

// The path itself, or one below each document that it can lie under.
function toTargets(path: string, locations: readonly string[]): string[] {
  const end = path.lastIndexOf('}') + 1
  if (end === 0) return [path]
  return findLocations(path, locations).map((location) => location + path.slice(end))
}

async function tryDocuments(operation: Operation, { trial, bob, adas, leaks }: Try) {
  const { method } = operation
  for (const url of toTargets(operation.path, adas)) {
    for (const headers of [{}, { 'If-Match': '"0"' }, { 'If-None-Match': '*' }]) {
      const body = trial.toBody(operation)
      const sent = await trial.send(bob, { method, url, headers, body })
      const isEmptyList = method === 'GET' && isList(operation) && !mentions(sent.text, adas)
      if (sent.status !== 404 && !isEmptyList) leaks.push(`${method} ${url} was ${sent.status}`)
    }
  }
}

async function tryList(operation: Operation, state: Try) {
  const { trial, ada, bob, adas, bobs, leaks } = state
  const [own] = toTargets(operation.path, bobs)
  if (own === undefined) return
  const most = bobs.filter((location) => location.startsWith(`${own}/`)).length
  for (const query of await toQueries(operation, state)) {
    const url = `${own}?${String(new URLSearchParams(query))}`
    const { status, text } = await trial.send(bob, { method: 'GET', url })
    const total = status === 200 ? Number(JSON.parse(text).meta?.total ?? 0) : 0
    if (mentions(text, adas)) leaks.push(`GET ${url} shows another's document`)
    if (total > most) leaks.push(`GET ${url} counts ${total} of ${most}`)
    if (status >= 500) leaks.push(`GET ${url} was ${status}`)
  }
  const [others] = toTargets(operation.path, adas)
  const begin = { method: 'GET', url: `${others}?cursor=&limit=1` }
  const { text } = await trial.send(ada, begin)
  const cursor = String(JSON.parse(text).meta.nextCursor)
  for (const target of new Set([own, others])) {
    const url = `${target}?${String(new URLSearchParams({ cursor, limit: '1' }))}`
    const sent = await trial.send(bob, { method: 'GET', url })
    if (sent.status < 400) leaks.push(`GET ${url} took another's cursor`)
  }
}

// Each parameter alone, with each value that the first user's documents hold.
async function toQueries({ parameters }: Operation, { trial, ada, adas }: Try) {
  const documents = [...(await trial.readAs(ada, adas)).values()].map((text): Json =>
    Object(JSON.parse(text).data),
  )
  const held = documents.flatMap((document) => Object.values(document).flat())
  const values = [...new Set(held.filter((value) => typeof value !== 'object').map(String))]
  const queries: Record<string, string>[] = [{}, { limit: '100' }, { cursor: '' }]
  for (const parameter of parameters.filter((one) => one['in'] === 'query')) {
    const name = String(parameter['name'])
    if (['page', 'limit', 'cursor'].includes(name)) continue
    for (const value of isChoice(name) ? toChoices(parameter) : values) {
      queries.push({ [name]: value, limit: '100' })
    }
  }
  return queries
}

function isChoice(name: string): boolean {
  return ['sort', 'fields', 'include'].includes(name)
}

// `^-?(?:title|rank)(?:,…)*$`: the names are in the first group.
function toChoices({ schema }: Json): string[] {
  const [, names = ''] = /\(\?:([^()]*)\)/.exec(String(Object(schema).pattern)) ?? []
  return [...names.split('|'), names.replaceAll('|', ',')].filter((name) => name !== '')
}

function mentions(text: string, locations: readonly string[]): boolean {
  return locations.some((location) => text.includes(toId(location)))
}

function isList({ definition }: Operation): boolean {
  return JSON.stringify(definition['parameters'] ?? []).includes('"cursor"')
}

function has(definition: Json, status: string): boolean {
  return status in Object(definition['responses'])
}
