import { expect, it } from 'vitest'
import { createRegistry } from '../../../packages/core/src/lib/routing/registry.ts'
import { resolveConfig } from '../../../packages/core/src/lib/settings/resolve-config.ts'

it('RL-05 limits are counted in Redis when there is one, unless another store is chosen', () => {
  const REDIS_URL = 'rediss://user:secret@redis.example.com:6380'
  const has = (env: Record<string, string>): boolean =>
    resolveConfig({ routes: createRegistry() }, env).redis !== undefined
  expect(has({ REDIS_URL })).toBe(true)
  expect(has({ REDIS_URL, RATE_LIMIT_STORE: 'mongodb' })).toBe(false)
  expect(has({})).toBe(false)
})
