import { type ClientRateLimitInfo, type Options, type Store } from 'express-rate-limit'
import { loadOptional } from '../runtime/optional-package.ts'

/** Options for {@link createRedisStore}. */
export interface RedisStoreOptions {
  /**
   * Sends one command to Redis, name and arguments in one list: of the client `redis`,
   * `(command) => client.sendCommand(command)`.
   */
  readonly sendCommand: (command: string[]) => Promise<unknown>
  /**
   * Prefix of the keys; services that share a server need different ones.
   * @default 'api:limit:'
   */
  readonly prefix?: string | undefined
}

/** The part of the package `rate-limit-redis` that is used. */
export interface RateLimitRedis {
  readonly RedisStore: new (options: {
    readonly prefix: string
    readonly sendCommand: (...command: string[]) => Promise<RedisReply>
  }) => Pick<Store, 'increment' | 'resetKey'> & { init(options: Options): Promise<void> }
}

type RedisReply = boolean | number | string | (boolean | number | string)[]

// A plain DECR after the end of the window would create a count that never expires.
const undo = 'return redis.call("EXISTS", KEYS[1]) == 1 and redis.call("DECR", KEYS[1])'

/**
 * Keeps the counts of a rate limit in Redis, by the package `rate-limit-redis`: exact across any
 * number of processes. The store recovers from a server that is down at start or loses its scripts.
 * @param options - connection and prefix
 * @param options.sendCommand - sends one command
 * @param options.prefix - prefix of the keys
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

  function send(command: string[]): Promise<RedisReply> {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- Redis sends nothing else
    return sendCommand(command) as Promise<RedisReply>
  }

  // The package keeps the rejected promise of a script, so it is initialized again after a failure.
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

function loadPackage(): RateLimitRedis {
  const needed = ['redis', 'rate-limit-redis']
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what is used of the package
  return loadOptional(
    'rate-limit-redis',
    'A store in Redis needs the packages',
    needed,
  ) as RateLimitRedis
}
