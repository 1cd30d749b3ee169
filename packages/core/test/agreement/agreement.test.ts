import { randomInt } from 'node:crypto'
import { sample } from 'fast-check'
import { type Model } from 'mongoose'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { createTestClient, type TestClient } from '../../src/testing.ts'
import { type GenerateRequest } from '../../../cli/src/lib/resource/resolve-request.ts'
import { renderProject } from '../golden/render-golden.ts'
import { type Place, toPlaces } from './places.ts'
import { toRandomRequests, toTypeRequests } from './resources.ts'

// What the OpenAPI document accepts is exactly what the service accepts. `AGREEMENT_CASES=100000` runs
// the long form, `AGREEMENT_SEED` repeats a run.

// Read when the app is imported.
vi.hoisted(() => {
  process.env['RATE_LIMIT'] = '1000000'
})

const cases = Number(process.env['AGREEMENT_CASES'] ?? 4000)
const seed = Number(process.env['AGREEMENT_SEED'] ?? randomInt(2 ** 31))
const timeout = 60_000 + cases * 20

const types = await render(toTypeRequests())
const random = await render(toRandomRequests(seed, Math.ceil(cases / 5000)))

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
// a name that begins with a dollar sign is an operator.
// That holds at any depth, which no schema says without describing all JSON.
function isUnstorable(text: string): boolean {
  return /\p{Surrogate}|\\ud[89a-f]|_bsontype|"(?:\$|\\u0024)|"[^"]*(?<!\\\\)\\u0000[^"]*":/u.test(
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

  it(`at random: AGREEMENT_SEED=${seed}`, { timeout }, async () => {
    const places = [...types.places, ...random.places]
    const { found, count } = await findDisagreements(places, cases, seed)
    expect(found).toEqual([])
    expect(count).toBeGreaterThanOrEqual(cases)
  })
})

describe('over HTTP', () => {
  let client: TestClient

  beforeAll(async () => {
    client = await createTestClient(types.api)
  })

  afterAll(() => client.stop())

  it('the status is as the document says', { timeout }, async () => {
    // A cursor is signed, so its text cannot be made up.
    const places = types.places.filter(
      ({ name, endpoint, parameter }) =>
        endpoint.path.endsWith('samples') &&
        !name.endsWith(' cursor') &&
        (parameter?.in ?? 'body') !== 'path',
    )
    const found: string[] = []
    for (const { place, text } of draw(places, Math.ceil(cases / 5), seed)) {
      if (isTooLong(place, text)) continue
      const { status, body } = await send(client.url, place, text)
      const expected = place.document(text) ? [200, 201, 409] : [place.parameter ? 400 : 422]
      if (!expected.includes(status)) found.push(`${place.name}: ${status} to ${text}: ${body}`)
    }
    expect(found).toEqual([])
  })
})

// Longer URLs and bodies are 431 and 413.
function isTooLong({ parameter }: Place, text: string): boolean {
  return parameter ? encodeURIComponent(text).length > 8000 : Buffer.byteLength(text) > 100_000
}

async function send(url: string, { endpoint, parameter }: Place, text: string) {
  const { method, path } = endpoint
  const query = parameter ? `?${String(new URLSearchParams({ [parameter.name]: text }))}` : ''
  const response = await fetch(url + path + query, {
    method,
    headers: parameter ? {} : { 'Content-Type': 'application/json' },
    body: parameter ? null : text,
  })
  return { status: response.status, body: await response.text() }
}
