import { sample } from 'fast-check'
import { expect } from 'vitest'
import { type TestClient } from '../../src/testing.ts'
import { type Answer, type Attempt, readContract } from './contract.ts'

const seed = Number(process.env['CONTRACT_SEED'] ?? 20_260_131)
const requests = Number(process.env['CONTRACT_REQUESTS'] ?? 700)
const rounds = 20

/** What a run meets at least, so that it cannot pass by asking nothing. */
export const expected: Readonly<Record<string, readonly number[]>> = {
  'GET /api/posts': [200, 400],
  'POST /api/posts': [201, 415, 422],
  'GET /api/posts/{id}': [200, 304, 404],
  'PUT /api/posts/{id}': [200, 404, 412, 422],
  'PATCH /api/posts/{id}': [200, 404, 412, 422],
  'DELETE /api/posts/{id}': [204, 404, 412],
}

/** Sends requests made up from the document, and compares each answer with it. */
export async function runContract(client: TestClient): Promise<Map<string, number>> {
  const { accessToken, user } = await client.signUp()
  const { body: document } = await client.request.get('/openapi.json').expect(200)
  const contract = readContract(document, { only: /^\/api\/posts/, references: [user.id] })
  const ids: string[] = []
  const counts = new Map<string, number>()
  for (let round = 0; round < rounds; round++) {
    const options = { seed: seed + round, numRuns: requests / rounds }
    for (const attempt of sample(contract.toAttempts(ids.slice(-5), accessToken), options)) {
      const answer = await send(client.url, attempt)
      const faults = contract.findFaults(attempt, answer)
      if (faults.length > 0)
        expect({ faults, answer, ...toShort(attempt) }).toBe('foreseen by the document')
      const { method, path } = attempt.operation
      const key = `${method} ${path} ${answer.status}`
      counts.set(key, (counts.get(key) ?? 0) + 1)
      if (answer.status === 201) ids.push(JSON.parse(answer.text).data.id)
    }
  }
  return counts
}

async function send(baseUrl: string, { operation, url, headers, body }: Attempt): Promise<Answer> {
  const answer = await fetch(baseUrl + url, {
    method: operation.method,
    headers,
    body: body ?? null,
  })
  const type = (answer.headers.get('content-type') ?? '').split(';')[0] ?? ''
  return { status: answer.status, type, headers: answer.headers, text: await answer.text() }
}

function toShort({ operation, kind, url, headers, body }: Attempt): object {
  return { kind, request: `${operation.method} ${url}`, headers, body }
}
