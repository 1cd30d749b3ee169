import { setTimeout as wait } from 'node:timers/promises'
import { pino } from 'pino'
import request from 'supertest'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { type ApiConfig } from '../settings/api-options.ts'
import { type Api, createApi } from '../create-api.ts'
import { createRouter } from '../routing/create-router.ts'
import { defineRoute } from '../route/define-route.ts'
import { createRegistry } from '../routing/registry.ts'
import { success } from '../response/success.ts'
import { createLogMixin, getLogger } from './get-logger.ts'

const log = getLogger()

// A service knows nothing of requests, and yet its lines do.
async function findThing(name: string): Promise<string> {
  log.debug('looking')
  await wait(1)
  log.info({ name }, 'found')
  return name
}

const things = createRouter([
  defineRoute({
    method: 'post',
    path: '/',
    access: 'public',
    body: z.strictObject({ name: z.string() }),
    response: z.string(),
    handler: async (req, res) => {
      const [name] = await Promise.all([findThing(req.valid.body.name), findThing('other')])
      setImmediate(() => log.warn('later'))
      success(res, name)
    },
  }),
  defineRoute({
    method: 'get',
    path: '/broken',
    access: 'public',
    response: z.string(),
    handler: async () => {
      await wait(1)
      throw new Error('bug')
    },
  }),
])

interface Line {
  readonly level: string
  readonly msg: string
  readonly requestId?: string
  readonly name?: string
}

function createThings(options: ApiConfig['log'] = {}): { api: Api; lines: () => Promise<Line[]> } {
  let text = ''
  const stream = { write: (part: string) => void (text += part) }
  const api = createApi({
    routes: createRegistry().use('/things', things),
    environment: 'test',
    auth: false,
    database: false,
    log: { level: 'debug', format: 'json', stream, ...options },
  })
  const lines = async (): Promise<Line[]> => {
    await wait(250)
    return text
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line))
  }
  return { api, lines }
}

describe('getLogger', () => {
  it('ERR-06 adds the same request id to every line of a request', async () => {
    const { api, lines } = createThings()
    await Promise.all(
      ['a', 'b', 'c'].map((id) =>
        request(api.app).post('/things').set('X-Request-Id', id).send({ name: id }).expect(200),
      ),
    )
    const all = await lines()
    expect(all).toHaveLength(15)
    for (const id of ['a', 'b', 'c']) {
      const own = all.filter((line) => line.requestId === id)
      expect(own.map(({ msg }) => msg).toSorted()).toEqual([
        'found',
        'found',
        'later',
        'looking',
        'looking',
      ])
      expect(own.filter(({ name }) => name !== undefined && name !== 'other')).toMatchObject([
        { level: 'info', name: id },
      ])
    }
  })

  it('ERR-06 covers failures, and Express routes after the pipeline', async () => {
    const { api, lines } = createThings()
    api.app.get('/own', async (_req, res) => {
      await findThing('own')
      res.json({})
    })
    await request(api.app).get('/things/broken').set('X-Request-Id', 'x1').expect(500)
    await request(api.app).get('/own').set('X-Request-Id', 'x2').expect(200)
    expect((await lines()).map(({ msg, requestId }) => [msg, requestId])).toEqual([
      ['request failed', 'x1'],
      ['looking', 'x2'],
      ['found', 'x2'],
    ])
  })

  it('writes at the configured level', async () => {
    const { api, lines } = createThings({ level: 'warn' })
    await request(api.app).post('/things').send({ name: 'a' }).expect(200)
    expect((await lines()).map(({ msg }) => msg)).toEqual(['later'])
  })

  it('writes to the API that handles the request, and outside of requests to the latest', async () => {
    const first = createThings()
    const second = createThings()
    log.info('outside')
    await request(first.api.app).post('/things').send({ name: 'a' }).expect(200)
    expect((await first.lines()).map(({ msg }) => msg)).not.toContain('outside')
    expect(await second.lines()).toEqual([
      { level: 'info', time: expect.any(String), msg: 'outside' },
    ])
  })

  it('works with your own pino logger', async () => {
    const own: Line[] = []
    const logger = pino(
      { mixin: createLogMixin() },
      { write: (line) => own.push(JSON.parse(line)) },
    )
    const { api } = createThings({ logger })
    api.app.get('/own', (_req, res) => {
      logger.info('direct')
      log.error({ err: new Error('by log') }, 'through log')
      res.json({})
    })
    await request(api.app).get('/own').set('X-Request-Id', 'mine').expect(200)
    expect(own.map(({ msg, requestId }) => [msg, requestId])).toEqual([
      ['direct', 'mine'],
      ['through log', 'mine'],
    ])
  })
})
