import { type Store } from 'express-rate-limit'
import { createRedisConnection, type RedisConnection } from '../database/connect-redis.ts'
import { type Logger } from '../logging/logger.ts'
import { createMongoStore } from '../pipeline/mongo-store.ts'
import { createRedisStore } from '../pipeline/redis-store.ts'
import { type Values } from './read-variables.ts'

/** Makes the store of one limit; each takes the length of its window from its limit. */
export type CreateStore = () => Store

/**
 * Says where hits are counted: what was chosen, else Redis where there is one.
 * @param values - what was read
 * @returns the name of the store, or a store
 */
export function chooseStore(values: Partial<Values>): 'memory' | 'mongodb' | 'redis' | Store {
  const { RATE_LIMIT_STORE: chosen, REDIS_URL: url } = values
  return chosen ?? (url === undefined ? 'memory' : 'redis')
}

/**
 * Makes the connection to Redis, if hits are counted there.
 * @param values - every variable
 * @param logger - hears of the connection
 * @returns the connection, not started
 */
export function toRedis(values: Values, logger: Logger): RedisConnection | undefined {
  if (chooseStore(values) !== 'redis' || values.REDIS_URL === undefined) return undefined
  return createRedisConnection({ url: values.REDIS_URL, logger })
}

/**
 * Makes what makes the stores of the limits.
 * @param name - of the service; its keys begin with it
 * @param values - every variable
 * @param redis - the connection, if hits are counted in Redis
 * @returns the maker; undefined counts in memory
 */
export function toCreateStore(
  name: string,
  values: Values,
  redis: RedisConnection | undefined,
): CreateStore | undefined {
  if (redis) return () => createRedisStore({ ...redis, prefix: `${name}:limit:` })
  return chooseStore(values) === 'mongodb' ? () => createMongoStore() : undefined
}
