import { type Response } from 'express'
import { afterEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import {
  type Api,
  createApi,
  createRegistry,
  createRouter,
  defineRoute,
  success,
} from '../../src/index.ts'

const apis: Api[] = []

afterEach(async () => {
  await Promise.all(apis.splice(0).map((api) => api.stop()))
})

// A controller that sends more than its schema says, and not what it says.
async function ask(environment: 'development' | 'test' | 'production', data: unknown) {
  const lines: string[] = []
  const things = createRouter([
    defineRoute({
      method: 'get',
      path: '/',
      access: 'public',
      response: z.object({ id: z.string(), tags: z.array(z.string()) }),
      // A response without a type: the compiler would see what is wrong.
      handler: (_req, res: Response) => success(res, data),
    }),
  ])
  const api = createApi({
    name: 'responses',
    environment,
    routes: createRegistry().use('/api/things', things),
    database: false,
    auth: false,
    server: { drainDelay: 0, host: '127.0.0.1' },
    log: { level: 'error', format: 'json', stream: { write: (text) => void lines.push(text) } },
    accessLog: { format: false },
  })
  apis.push(api)
  const { url } = await api.start({ port: 0, signals: false })
  const response = await fetch(`${url}/api/things`)
  const body: unknown = await response.json()
  return { status: response.status, body, lines }
}

describe('a response that does not match its schema', () => {
  it.each(['development', 'test'] as const)(
    'AUZ-06 is a 500 in %s, and the log says where',
    async (environment) => {
      const { status, body, lines } = await ask(environment, { id: 'a', tags: ['x', 5] })
      expect([status, Object(body).code]).toEqual([500, 'internal_error'])
      expect(JSON.stringify(body)).not.toContain('tags')
      await expect.poll(() => lines.join('')).toContain('The response does not match its schema')
      expect(lines.join('')).toContain('#/tags/1')
    },
  )

  it('AUZ-06 is reduced to the schema in production', async () => {
    const data = { id: 'a', tags: ['x'], secret: 's', __v: 3 }
    const { status, body } = await ask('production', data)
    expect([status, body]).toEqual([200, { data: { id: 'a', tags: ['x'] } }])
    const wrong = await ask('production', { id: 'a', tags: { secret: 's' } })
    expect([wrong.status, wrong.body]).toEqual([200, { data: { id: 'a' } }])
  })

  it('AUZ-06 loses fields outside the schema in every environment', async () => {
    for (const environment of ['development', 'test', 'production'] as const) {
      const { body } = await ask(environment, { id: 'a', tags: [], passwordHash: 'h' })
      expect(body).toEqual({ data: { id: 'a', tags: [] } })
    }
  })
})
