import { randomInt } from 'node:crypto'
import { sample } from 'fast-check'
import { type Model } from 'mongoose'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { createTestClient, type TestClient } from '../../src/testing.ts'
import { type GenerateRequest } from '../../../cli/src/lib/resource/resolve-request.ts'
import { renderProject } from '../golden/render-golden.ts'
import { createOwnApi } from './own-schemas.ts'
import { type Place, toPlaces } from './places.ts'
import { toRandomRequests, toTypeRequests } from './resources.ts'

// What the OpenAPI document accepts is exactly what the service accepts. `AGREEMENT_CASES=100000` runs
// the long form, `AGREEMENT_SEED` repeats a run.

// Read when the app is imported.
vi.hoisted(() => {
  process.env['RATE_LIMIT'] = '1000000'
})

const cases = Number(process.env['AGREEMENT_CASES'] ?? 5000)
const seed = Number(process.env['AGREEMENT_SEED'] ?? randomInt(2 ** 31))
const timeout = 60_000 + cases * 20

const types = await render(toTypeRequests())
const random = await render(toRandomRequests(seed, Math.ceil(cases / 5000)))

const ownApi = createOwnApi()
const own = { api: ownApi, places: toPlaces(ownApi, new Map()) }

async function render(requests: readonly GenerateRequest[]) {
  const { api, routers } = await renderProject(requests)
  const models = requests.map(({ name }, index): [string, Model<unknown>] => [
    name,
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the model of a generated resource
    routers[index]?.model as unknown as Model<unknown>,
  ])
  return { api, places: toPlaces(api, new Map(models)) }
}

/** Draws cases for all places: a body has many fields, so it gets more of them. */
function draw(places: readonly Place[], count: number, from: number) {
  const shares = places.map(({ parameter }) => (parameter ? 1 : 15))
  const all = shares.reduce((sum, share) => sum + share, 0)
  return places.flatMap((place, index) => {
    const numRuns = Math.ceil((count * (shares[index] ?? 1)) / all)
    const storable = place.texts.filter((text) => !isUnstorable(text))
    return sample(storable, { seed: from, numRuns }).map((text) => ({ place, text }))
  })
}

// MongoDB cannot store lone surrogates, and neither names with NUL nor the driver's own `_bsontype`;
// a name that begins with a dollar sign is an operator, and `__proto__` is not a property.
// That holds at any depth, which no schema says without describing all JSON.
function isUnstorable(text: string): boolean {
  return /\p{Surrogate}|\\ud[89a-f]|_bsontype|__proto__|"(?:\$|\\u0024)|"[^"]*(?<!\\\\)\\u0000[^"]*":/u.test(
    text,
  )
}

async function findDisagreements(places: readonly Place[], count: number, from: number) {
  const found: string[] = []
  const met = new Map<Place, Set<boolean>>(places.map((place) => [place, new Set()]))
  const drawn = draw(places, count, from)
  for (const { place, text } of drawn) {
    const [document, service] = [place.document(text), await place.service(text)]
    met.get(place)?.add(document)
    if (document !== service)
      found.push(`${place.name}: ${document ? 'document' : 'service'} only: ${text}`)
  }
  const oneSided = [...met].filter(([{ parameter }, { size }]) => !parameter && size < 2)
  return {
    found: found.toSorted((a, b) => a.length - b.length).slice(0, 20),
    oneSided: oneSided.map(([{ name }]) => name),
    count: drawn.length,
  }
}

describe('the document and the validators agree', () => {
  it('on every field type, list query, path and auth body', { timeout }, async () => {
    const { found, oneSided } = await findDisagreements(types.places, cases, 20_260_131)
    expect(found).toEqual([])
    // The values were on both sides of the edges.
    expect(oneSided).toEqual([])
  })

  it('on queries, paths, forms and bodies of own schemas', { timeout }, async () => {
    // One in a hundred bodies of a union is valid. With so many, all are on one side once in a hundred million runs.
    const { found, oneSided } = await findDisagreements(own.places, cases * 10, seed)
    expect(found).toEqual([])
    expect(oneSided).toEqual([])
  })

  it(`at random: AGREEMENT_SEED=${seed}`, { timeout }, async () => {
    const places = [...types.places, ...random.places]
    const { found, count } = await findDisagreements(places, cases, seed)
    expect(found).toEqual([])
    expect(count).toBeGreaterThanOrEqual(cases)
  })
})

describe.each([
  ['generated resources', types],
  ['own schemas', own],
])('over HTTP: %s', (_name, { api, places }) => {
  let client: TestClient

  beforeAll(async () => {
    client = await createTestClient(api)
  })

  afterAll(() => client.stop())

  it('the status is as the document says', { timeout }, async () => {
    // A cursor is signed, so its text cannot be made up.
    const sent = places.filter(
      ({ name, endpoint: { path } }) =>
        /samples$|\/paths\//.test(path) && !name.endsWith(' cursor'),
    )
    const found: string[] = []
    for (const { place, text } of draw(sent, Math.ceil(cases / 5), seed)) {
      if (!isSendable(place, text)) continue
      const { status, body } = await send(client.url, place, text)
      const expected = place.document(text) ? [200, 201, 204, 409] : [toRefusal(place)]
      if (!expected.includes(status)) found.push(`${place.name}: ${status} to ${text}: ${body}`)
    }
    expect(found).toEqual([])
  })
})

function toRefusal({ parameter }: Place): number {
  if (parameter?.in === 'path') return 404
  return parameter ? 400 : 422
}

// Longer URLs and bodies are 431 and 413; a URL cannot contain a segment that is empty or consists of dots.
function isSendable({ parameter }: Place, text: string): boolean {
  if (parameter?.in === 'path' && /^\.{0,2}$/.test(text)) return false
  return parameter ? encodeURIComponent(text).length <= 8000 : Buffer.byteLength(text) <= 100_000
}

async function send(url: string, place: Place, text: string) {
  const { method, path } = place.endpoint
  const { parameter } = place
  if (parameter?.in === 'path') {
    return read(
      await fetch(url + path.replace(`:${parameter.name}`, () => encodeURIComponent(text))),
    )
  }
  if (parameter) {
    const values: string[] = place.isList ? JSON.parse(text) : [text]
    const query = new URLSearchParams(
      values.map((value): [string, string] => [parameter.name, value]),
    )
    return read(await fetch(`${url}${path}?${String(query)}`, { method }))
  }
  return read(await fetch(url + path, { method, ...toBody(place, text) }))
}

function toBody({ isForm }: Place, text: string): RequestInit {
  if (!isForm) return { headers: { 'Content-Type': 'application/json' }, body: text }
  const fields: Record<string, string | string[]> = JSON.parse(text)
  const body = new FormData()
  for (const [name, values] of Object.entries(fields))
    for (const value of [values].flat()) body.append(name, value)
  return { body }
}

async function read(response: Response) {
  return { status: response.status, body: await response.text() }
}
