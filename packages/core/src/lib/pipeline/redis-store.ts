import { type ClientRateLimitInfo, type Options, type Store } from 'express-rate-limit'
import type * as RateLimitRedis from 'rate-limit-redis'
import { loadOptional } from '../optional-package.ts'

/** Options for {@link createRedisStore}. */
export interface RedisStoreOptions {
  /**
   * Sends one command to Redis, name and arguments in one list: of the client `redis`,
   * `(command) => client.sendCommand(command)`.
   */
  readonly sendCommand: (command: string[]) => Promise<unknown>
  /**
   * What the keys begin with; services that share a server need different ones.
   * @default 'api:limit:'
   */
  readonly prefix?: string | undefined
}

// Ordinary DECR would leave a count without an end where the window is over.
const undo = 'return redis.call("EXISTS", KEYS[1]) == 1 and redis.call("DECR", KEYS[1])'

/**
 * Keeps the counts of a rate limit in Redis, by the package `rate-limit-redis`: exact over any
 * number of processes. A server that is away at the start, or loses its scripts, is no reason to
 * start again.
 * @param options - how to reach Redis, and the prefix of the keys
 * @param options.sendCommand - sends one command
 * @param options.prefix - what the keys begin with
 * @returns a store for {@link rateLimit} or express-rate-limit
 * @throws Error when the package `rate-limit-redis` is not installed
 */
export function createRedisStore({ sendCommand, prefix = 'api:limit:' }: RedisStoreOptions): Store {
  const { RedisStore } = loadPackage()
  const store = new RedisStore({
    prefix,
    sendCommand: (...command) => send(command),
  })
  let limits: Options | undefined
  let prepared: Promise<void> | undefined

  function send(command: string[]): Promise<RateLimitRedis.RedisReply> {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- Redis answers with nothing else
    return sendCommand(command) as Promise<RateLimitRedis.RedisReply>
  }

  // The package remembers a script that it could not load, so it is prepared again after a failure.
  async function increment(key: string): Promise<ClientRateLimitInfo> {
    try {
      prepared ??= limits && store.init(limits)
      await prepared
      return await store.increment(key)
    } catch (error) {
      prepared = undefined
      throw error
    }
  }

  return {
    localKeys: false,
    prefix,
    init(options: Options) {
      limits = options
    },
    increment,
    async decrement(key) {
      await send(['EVAL', undo, '1', prefix + key])
    },
    resetKey: (key) => store.resetKey(key),
  }
}

function loadPackage(): typeof RateLimitRedis {
  const needed = ['redis', 'rate-limit-redis']
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what the package says of itself
  return loadOptional(
    'rate-limit-redis',
    'A store in Redis needs the packages',
    needed,
  ) as typeof RateLimitRedis
}
