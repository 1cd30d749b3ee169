import { sample } from 'fast-check'
import { expect } from 'vitest'
import { type TestClient } from '../../src/testing.ts'
import { type Reply, type Attempt, readContract } from './contract.ts'

const seed = Number(process.env['CONTRACT_SEED'] ?? 20_260_131)
const rounds = 20

/** Options for {@link runContract}. */
export interface RunOptions {
  /** Paths of the document to send requests to. */
  only: RegExp
  /**
   * How many requests; `CONTRACT_REQUESTS` wins.
   * @default 700
   */
  requests?: number
  /**
   * Ids that fields which refer to other documents may hold.
   * @default the id of the caller
   */
  references?: readonly string[]
  /**
   * Paths of documents that others refer to: once the run has made some, their ids are what the
   * fields hold.
   * @default undefined
   */
  refersTo?: RegExp
}

/**
 * Sends requests made up from the document, and compares each response with it.
 * @returns how often each operation met each status: `GET /api/posts 200`
 */
export async function runContract(
  client: TestClient,
  options: RunOptions,
): Promise<Map<string, number>> {
  const { accessToken, user } = await client.signUp()
  const { only, refersTo } = options
  const references = [...(options.references ?? [user.id])]
  const requests = Number(process.env['CONTRACT_REQUESTS'] ?? options.requests ?? 700)
  const { body: document } = await client.request.get('/openapi.json').expect(200)
  const contract = readContract(document, { only, references })
  const locations: string[] = []
  const counts = new Map<string, number>()
  for (let round = 0; round < rounds; round++) {
    const sampling = { seed: seed + round, numRuns: Math.ceil(requests / rounds) }
    for (const attempt of sample(contract.toAttempts(locations, accessToken), sampling)) {
      const response = await send(client.url, attempt)
      const faults = contract.findFaults(attempt, response)
      if (faults.length > 0)
        expect({ faults, response, ...toShort(attempt) }).toBe('foreseen by the document')
      const { method, path } = attempt.operation
      const key = `${method} ${path} ${response.status}`
      counts.set(key, (counts.get(key) ?? 0) + 1)
      const location = response.headers.get('location')
      if (response.status === 201 && location !== null) {
        locations.push(location)
        if (refersTo?.test(location))
          references.splice(0, 3, toId(location), ...references.slice(0, 2))
      }
    }
  }
  return counts
}

/**
 * Says what a run on a whole resource meets at least, so that it cannot pass by asking nothing.
 * @param path - of the collection, as the document writes it
 * @param item - of one document
 * @returns lines as `runContract` counts them
 */
export function toExpected(path: string, item = `${path}/{id}`): string[] {
  const expected: Readonly<Record<string, readonly number[]>> = {
    [`GET ${path}`]: [200, 400],
    [`POST ${path}`]: [201, 415, 422],
    [`GET ${item}`]: [200, 304, 404],
    [`PUT ${item}`]: [200, 404, 412, 422],
    [`PATCH ${item}`]: [200, 404, 412, 422],
    [`DELETE ${item}`]: [204, 404, 412],
  }
  return Object.entries(expected).flatMap(([operation, statuses]) =>
    statuses.map((status) => `${operation} ${status}`),
  )
}

function toId(location: string): string {
  return location.split('/').at(-1) ?? location
}

async function send(baseUrl: string, { operation, url, headers, body }: Attempt): Promise<Reply> {
  const response = await fetch(baseUrl + url, {
    method: operation.method,
    headers,
    body: body ?? null,
  })
  const type = (response.headers.get('content-type') ?? '').split(';')[0] ?? ''
  return { status: response.status, type, headers: response.headers, text: await response.text() }
}

function toShort({ operation, kind, url, headers, body }: Attempt): object {
  return { kind, request: `${operation.method} ${url}`, headers, body }
}
