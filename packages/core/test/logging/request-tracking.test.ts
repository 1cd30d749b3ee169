import { readdirSync } from 'node:fs'
import request from 'supertest'
import { expect, it } from 'vitest'
import { z } from 'zod'
import {
  createApi,
  createRegistry,
  createRouter,
  getLogger,
  get,
  success,
} from '../../src/index.ts'
import { currentRequest } from '../../src/jobs.ts'

const sources = new URL('../../src/', import.meta.url)

const tracked = createRouter([
  get('/', { access: 'public', response: z.boolean() }, (_req, res) => {
    success(res, currentRequest() !== undefined)
  }),
])

it('tracks no requests until the application asks for its log', async () => {
  const entryPoints = readdirSync(sources).filter((name) => name.endsWith('.ts'))
  expect(entryPoints).toContain('live.ts')
  for (const name of entryPoints) await import(new URL(name, sources).href)
  const routes = createRegistry().use('/tracked', tracked)
  const { app } = createApi({ routes, environment: 'test', auth: false, database: false })
  const isTracked = async (): Promise<unknown> =>
    (await request(app).get('/tracked').expect(200)).body.data
  expect(await isTracked()).toBe(false)
  getLogger()
  expect(await isTracked()).toBe(true)
})
