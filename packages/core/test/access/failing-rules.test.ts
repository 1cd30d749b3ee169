import { expect, it, onTestFinished } from 'vitest'
import {
  ApiError,
  any,
  all,
  createApi,
  createRegistry,
  createRouter,
  defineRule,
  get,
  success,
} from '../../src/index.ts'
import { createTestClient } from '../../src/testing.ts'

// A promise that is rejected and that nothing waits for would end the process.
const missing = defineRule('missing', async () => {
  await Promise.resolve()
  throw new ApiError('not_found')
})
const broken = defineRule('broken', (_user, req) => {
  throw new TypeError(`no ${req.method}`)
})

it('rules that fail, one later and one at once, end the request and nothing else', async () => {
  const unhandled: unknown[] = []
  const note = (error: unknown): void => void unhandled.push(error)
  process.on('unhandledRejection', note)
  const handler: Parameters<typeof get>[2] = (_req, res) => success(res)
  const routes = createRouter([
    get('/any', { access: any(missing, broken) }, handler),
    get('/all', { access: all(missing, broken) }, handler),
    get('/references', { access: 'user', references: { a: missing, b: broken } }, handler),
  ])
  const api = createApi({
    name: 'failing',
    routes: createRegistry().use('/api/rules', routes),
    rateLimit: false,
    log: { level: 'silent' },
  })
  const client = await createTestClient(api)
  onTestFinished(async () => {
    process.off('unhandledRejection', note)
    await client.stop()
  })
  const { headers } = await client.signUp()
  for (const name of ['any', 'all', 'references']) {
    const { status } = await client.request.get(`/api/rules/${name}`).set(headers)
    expect([404, 500]).toContain(status)
  }
  await client.request.get('/health/live').expect(200)
  expect(unhandled).toEqual([])
})
