import { model, Schema, Types } from 'mongoose'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { z } from 'zod'
import {
  createApi,
  createRegistry,
  createRouter,
  defineRule,
  success,
  type User,
} from '../../../src/index.ts'
import {
  createDocument,
  defineListQuery,
  defineView,
  findPage,
  idParams as params,
  includeReferences,
  inScope,
  instant,
  objectId,
  parseIfMatch,
  patchDocument,
  replaceDocument,
  requireFound,
  requireReferences,
  setEtag,
  toOutputSchema,
  toPatchSchema,
  toProjection,
  versioned,
  deleteDocument,
} from '../../../src/resource.ts'
import { createTestClient, type TestClient, type TestUser } from '../../../src/testing.ts'
import { type Doc, type Value } from './matches.ts'
import { createRandom, createRuling, type Random, type Ruling, tags } from './random-rules.ts'
import { asStored, mergePatch, toFields } from './random-things.ts'

// What a caller can read or change through an API equals the rule evaluated on each stored document, by an evaluator
// of the test (`matches.ts`). `ACCESS_RUNS=20000` sends 20,000 random requests; `ACCESS_SEED` repeats a run.
const runs = Number(process.env['ACCESS_RUNS'] ?? 400)
const seed = Number(process.env['ACCESS_SEED'] ?? 1)
const requestsPerRule = 20

const createThing = z.strictObject({
  a: z.int().min(0).max(9).nullable().optional(),
  tags: z.array(z.string().max(5)).max(5).optional(),
  nested: z
    .strictObject({
      x: z.int().min(0).max(9).nullable().optional(),
      list: z
        .array(z.strictObject({ k: z.string().max(5), n: z.int() }))
        .max(5)
        .optional(),
    })
    .optional(),
  owner: objectId.optional(),
  at: instant.optional(),
  flag: z.boolean().optional(),
  other: objectId.optional(),
})
const patchThing = toPatchSchema(createThing)
// Stored documents can have values that no client could send.
const thing = toOutputSchema(createThing).extend({
  tags: z.array(z.string()).nullable().optional(),
  nested: z.any().optional(),
})
const { ObjectId } = Schema.Types
const ThingModel = model(
  'RandomThing',
  new Schema(
    {
      a: Number,
      tags: { type: [String], default: undefined },
      nested: {
        type: new Schema(
          {
            x: Number,
            list: {
              type: [new Schema({ k: String, n: Number }, { _id: false })],
              default: undefined,
            },
          },
          { _id: false },
        ),
      },
      owner: ObjectId,
      at: Date,
      flag: Boolean,
      other: { type: ObjectId, ref: 'RandomThing' },
    },
    { timestamps: true },
  ).plugin(versioned),
)

let current: Ruling
let referred: Ruling

// The rule of the routes asks the rule of the moment.
const toMoment = (ruling: () => Ruling) =>
  defineRule(
    'moment',
    (user, req) => {
      const { rule } = ruling()
      return rule.anonymous || user ? rule.decide(user, req) : false
    },
    { anonymous: true },
  )
const access = toMoment(() => current)
const reference = toMoment(() => referred)

const view = defineView(thing, {
  fields: ['a', 'flag'],
  include: { other: { response: thing, access: reference } },
})
const listThings = defineListQuery(thing, {
  filters: ['a', 'flag', 'tags', 'owner', 'at'],
  sort: ['a', 'at', 'flag'],
  view,
})

const things = createRouter(
  (route) => [
    route.get(
      '/',
      { query: listThings, response: view.response.array(), meta: z.any() },
      async (req, res) => {
        const { query } = req.valid
        const { data, meta } = await findPage(ThingModel, query, { scope: req.scope })
        success(res, await includeReferences(ThingModel, data, { query }), meta)
      },
    ),
    route.get(
      '/:id',
      { params, query: view.query, response: view.response, etag: true },
      async (req, res) => {
        const { params: key, query } = req.valid
        const filter = inScope(req.scope, { _id: key.id })
        const found = requireFound(await ThingModel.findOne(filter, toProjection(query)).lean())
        const seen = await includeReferences(ThingModel, found, { query })
        success(setEtag(res, query.include ? seen : found), seen)
      },
    ),
    route.post('/', { body: createThing, response: thing, status: 201 }, async (req, res) => {
      const { body } = req.valid
      await requireReferences(ThingModel, { other: body.other }, { references: req.references })
      success(res.status(201), await createDocument(ThingModel, body, { scope: req.scope }))
    }),
    route.put('/:id', { params, body: createThing, response: thing }, async (req, res) => {
      const { body: input, params: key } = req.valid
      await requireReferences(ThingModel, { other: input.other }, { references: req.references })
      const options = { scope: req.scope, match: parseIfMatch(req), schema: createThing, input }
      success(res, await replaceDocument(ThingModel, { _id: key.id }, options))
    }),
    route.patch('/:id', { params, body: patchThing, response: thing }, async (req, res) => {
      const { body: patch, params: key } = req.valid
      await requireReferences(
        ThingModel,
        { other: Object(patch).other },
        { references: req.references },
      )
      const options = {
        scope: req.scope,
        match: parseIfMatch(req),
        schema: patchThing,
        input: patch,
      }
      success(res, await patchDocument(ThingModel, { _id: key.id }, options))
    }),
    route.del('/:id', { params }, async (req, res) => {
      const options = { scope: req.scope, match: parseIfMatch(req) }
      await deleteDocument(ThingModel, { _id: req.valid.params.id }, options)
      success(res)
    }),
  ],
  { access, references: { other: reference } },
)
const log: string[] = []
const api = createApi({
  name: 'properties',
  routes: createRegistry().use('/api/things', things),
  rateLimit: false,
  log: { level: 'error', stream: { write: (line) => void log.push(line) } },
})

let client: TestClient
let callers: readonly (TestUser | undefined)[]

beforeAll(async () => {
  client = await createTestClient(api)
  callers = [await client.signUp(), await client.signUp(), undefined]
})

afterAll(() => client.stop())

type Stored = Doc & { readonly _id: Types.ObjectId }

async function readAll(): Promise<Stored[]> {
  return ThingModel.collection.find<Stored>({}).toArray()
}

const owners = (): string[] => callers.map((caller) => caller?.user.id ?? '0'.repeat(24))

async function storeThings(random: Random): Promise<void> {
  await ThingModel.collection.deleteMany({})
  const ids = Array.from({ length: 15 }, () => new Types.ObjectId())
  await ThingModel.collection.insertMany(
    ids.map((_id) => ({
      _id,
      __v: 0,
      createdAt: new Date(0),
      updatedAt: new Date(0),
      ...toFields(random, owners(), true),
      ...(random.chance(50) && { other: random.pick([...ids, new Types.ObjectId()]) }),
      // What no client could have written.
      ...(random.chance(10) && { tags: null }),
      ...(random.chance(10) && { nested: null }),
    })),
  )
}

interface Moment {
  readonly random: Random
  readonly caller: TestUser | undefined
  readonly stored: readonly Stored[]
  /** Whether the caller can reach a document. */
  readonly reaches: (document: Doc) => boolean
  readonly refers: (document: Doc) => boolean
}

interface Sent {
  readonly status: number
  readonly body: { readonly data?: Value; readonly meta?: Doc; readonly code?: string }
}

async function send(
  { caller }: Moment,
  method: string,
  path: string,
  { body, headers }: { body?: object; headers?: object } = {},
): Promise<Sent> {
  const response = await fetch(`${client.url}/api/things${path}`, {
    method,
    headers: {
      ...caller?.headers,
      ...headers,
      ...(body && { 'Content-Type': 'application/json' }),
    },
    body: body ? JSON.stringify(body) : null,
  })
  const text = await response.text()
  return { status: response.status, body: text === '' ? {} : JSON.parse(text) }
}

type Operation = (moment: Moment) => Promise<void>

const toId = ({ _id }: Stored): string => String(_id)

async function readList(moment: Moment): Promise<void> {
  const { random, reaches, refers, stored } = moment
  const a = random.below(4)
  const tag = random.pick(tags)
  const [query, isWanted] = random.pick<readonly [string, (document: Doc) => boolean]>([
    ['', () => true],
    [`a=${a}`, (document) => document['a'] === a],
    [`a[gte]=${a}`, (document) => typeof document['a'] === 'number' && document['a'] >= a],
    [`tags=${tag}`, ({ tags: own }) => Array.isArray(own) && own.includes(tag)],
    ['flag=true', (document) => document['flag'] === true],
    ['flag[ne]=true', (document) => document['flag'] !== true],
  ])
  const sort = random.pick(['', '&sort=a', '&sort=-a,at', '&sort=-flag'])
  const isIncluding = random.chance(30)
  const fields = random.chance(20) ? '&fields=flag' : ''
  const found: Doc[] = []
  const rest = `${query}${sort}${fields}${isIncluding ? '&include=other' : ''}`
  if (random.chance(50)) {
    let cursor: Value = ''
    do {
      const { body, status } = await send(
        moment,
        'GET',
        `?limit=4&cursor=${String(cursor)}&${rest}`,
      )
      expect(status).toBe(200)
      found.push(...(body.data as Doc[]))
      cursor = body.meta?.['nextCursor']
    } while (cursor !== undefined)
  } else {
    const { body, status } = await send(moment, 'GET', `?limit=100&${rest}`)
    expect(status).toBe(200)
    found.push(...(body.data as Doc[]))
    expect(body.meta?.['total']).toBe(found.length)
  }
  const expected = stored.filter((document) => reaches(document) && isWanted(document)).map(toId)
  expect(found.map(({ id }) => String(id)).toSorted()).toEqual(expected.toSorted())
  if (isIncluding) for (const one of found) expectIncluded(one, stored, refers)
}

function expectIncluded(
  seen: Doc,
  stored: readonly Stored[],
  refers: (document: Doc) => boolean,
): void {
  const document = stored.find((one) => toId(one) === seen['id'])
  const target = stored.find((one) => toId(one) === String(document?.['other']))
  const included = Object(seen['included']).other
  expect(included?.id ?? null).toBe(target && refers(target) ? toId(target) : null)
}

async function show(moment: Moment): Promise<void> {
  const { random, reaches, refers, stored } = moment
  const target = random.pick(stored)
  const { __v: version } = target
  const isFresh = random.chance(30)
  const headers = isFresh ? { 'If-None-Match': `"${String(version)}"` } : {}
  const include = !isFresh && random.chance(40) ? '?include=other' : ''
  const { body, status } = await send(moment, 'GET', `/${toId(target)}${include}`, { headers })
  const isReached = reaches(target)
  expect(status).toBe(isReached ? (isFresh ? 304 : 200) : 404)
  if (isReached && include) expectIncluded(Object(body.data), stored, refers)
}

async function create(moment: Moment): Promise<void> {
  const { random, reaches, refers, stored } = moment
  const other = random.chance(30) ? random.pick(stored) : undefined
  const input = { ...toFields(random, owners(), false), ...(other && { other: toId(other) }) }
  const { body, status } = await send(moment, 'POST', '', { body: input })
  const after = await readAll()
  if (other && !refers(other)) {
    expect(status).toBe(422)
    expect(after).toHaveLength(stored.length)
    return
  }
  if (status === 201) {
    const created = after.find((one) => toId(one) === Object(body.data).id)
    expect(reaches(created ?? {})).toBe(true)
    return
  }
  expect(status).toBe(403)
  expect(after).toHaveLength(stored.length)
  expect(reaches(asStored(input))).toBe(false)
}

async function change(moment: Moment): Promise<void> {
  const { random, reaches, refers, stored } = moment
  const target = random.pick(stored)
  const { __v: version } = target
  const isPut = random.chance(40)
  const given = toFields(random, owners(), false)
  const removed = random.pick(['a', 'tags', 'nested', 'owner', 'at', 'flag'])
  const other = random.chance(20) ? random.pick(stored) : undefined
  const body = {
    ...given,
    ...(other && { other: toId(other) }),
    ...(!isPut && random.chance(40) && { [removed]: null }),
  }
  const isStale = random.chance(15)
  const headers =
    random.chance(30) || isStale ? { 'If-Match': `"${isStale ? 99 : String(version)}"` } : {}
  const method = isPut ? 'PUT' : 'PATCH'
  const { status } = await send(moment, method, `/${toId(target)}`, { body, headers })
  const [after] = (await readAll()).filter((one) => one._id.equals(target._id))
  if (status === 200) {
    expect(reaches(target) && reaches(after ?? {})).toBe(true)
    if (other) expect(refers(other)).toBe(true)
    return
  }
  expect(after).toEqual(target)
  if (other && !refers(other)) expect(status).toBe(422)
  else if (!reaches(target)) expect(status).toBe(404)
  else if (isStale) expect(status).toBe(412)
  else {
    expect(status).toBe(403)
    const sent = asStored(body)
    const changed = isPut ? { ...withoutWritable(target), ...sent } : mergePatch(target, sent)
    expect({ target, body, changed, reached: reaches(Object(changed)) }).toMatchObject({
      reached: false,
    })
  }
}

function withoutWritable(document: Stored): Doc {
  const writable = Object.keys(createThing.shape)
  return Object.fromEntries(Object.entries(document).filter(([key]) => !writable.includes(key)))
}

async function remove(moment: Moment): Promise<void> {
  const { random, reaches, stored } = moment
  const target = random.pick(stored)
  const isStale = random.chance(30)
  const headers = isStale ? { 'If-Match': '"99"' } : {}
  const { status } = await send(moment, 'DELETE', `/${toId(target)}`, { headers })
  const isReached = reaches(target)
  expect(status).toBe(isReached ? (isStale ? 412 : 204) : 404)
  const isLeft = (await readAll()).some((one) => one._id.equals(target._id))
  expect(isLeft).toBe(!isReached || isStale)
}

const operations: readonly Operation[] = [
  readList,
  readList,
  show,
  create,
  change,
  change,
  change,
  remove,
]

async function runOnce(random: Random): Promise<void> {
  const caller = random.pick(callers)
  const user: User | undefined = caller?.user
  const [main, other] = [current, referred]
  const stored = await readAll()
  const operation = random.pick(operations)
  const moment: Moment = {
    random,
    caller,
    stored,
    reaches: (document) => main.reaches(user, document),
    refers: (document) => other.admits(user) && other.reaches(user, document),
  }
  if (main.admits(user) && stored.length > 0) return operation(moment)
  const { status } = await send(moment, 'GET', '')
  expect(status).toBe(main.admits(user) ? 200 : user ? 403 : 401)
}

it(
  'what a caller can read or change equals the rule evaluated on each document',
  async () => {
    let run = 0
    for (; run < runs; run++) {
      const random = createRandom(seed * 1_000_003 + run)
      if (run % requestsPerRule === 0) {
        current = createRuling(random)
        referred = createRuling(random, 1)
        await storeThings(random)
      }
      try {
        await runOnce(random)
      } catch (error) {
        const rule = JSON.stringify(await current.rule.decide(callers[0]?.user, Object({})))
        throw new Error(`Run ${run} of seed ${seed}, ${rule}: ${String(error)} ${log.join('')}`, {
          cause: error,
        })
      }
    }
    expect(run).toBe(runs)
  },
  Math.max(60_000, runs * 50),
)
