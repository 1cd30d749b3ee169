import { createClient } from 'redis'
import { expect, it } from 'vitest'
import { startSharedLimits } from '../../../packages/core/test/limits/shared-limits.ts'
import { createRedisServer, hasRedis } from './redis-server.ts'

it.skipIf(!hasRedis)(
  'RL-05 F-15 rate limits of several processes are exact together when they share a Redis',
  async () => {
    const redis = await createRedisServer()
    await redis.start()
    const database = process.env['MONGODB_URI'] ?? 'embedded:memory'
    const services = await startSharedLimits({ MONGODB_URI: database, REDIS_URL: redis.url })
    expect(await services.count()).toEqual({ 200: 50, 429: 150 })
    const client = await createClient({ url: redis.url }).connect()
    expect(await client.get('notes:limit:global:127.0.0.1')).toBe('200')
    await client.close()
    await services.stop()
    await redis.remove()
  },
)
