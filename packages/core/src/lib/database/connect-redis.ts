import { once } from 'node:events'
import type * as Redis from 'redis'
import { type Logger } from '../logging/logger.ts'
import { redactText } from '../logging/redact.ts'
import { loadOptional } from '../optional-package.ts'

/** Options for {@link createRedisConnection}. */
export interface RedisOptions {
  /** Address: `redis://` or, with TLS, `rediss://`. */
  readonly url: string
  /** Hears when the connection is lost and when it is back. */
  readonly logger: Pick<Logger, 'info' | 'error'>
}

/** A connection to Redis that comes back by itself. */
export interface RedisConnection {
  /**
   * Sends one command; rejects at once while there is no connection.
   * @param command - name and arguments
   */
  readonly sendCommand: (command: string[]) => Promise<unknown>
  /** Connects. A server that does not answer holds nobody up: it is tried again until `stop`. */
  start(): Promise<void>
  /** Sends what is under way, then closes. */
  stop(): Promise<void>
}

const connectTimeout = 2000
const longestPause = 2000

/**
 * Makes a connection to Redis, not connected yet.
 * @param options - address and logger
 * @param options.url - address
 * @param options.logger - hears of the connection
 * @returns the connection
 * @throws Error when the package `redis` is not installed
 */
export function createRedisConnection({ url, logger }: RedisOptions): RedisConnection {
  const { createClient } = loadRedis()
  const client = createClient({
    url,
    // A command that waits for a connection would be late for whoever asked.
    disableOfflineQueue: true,
    socket: {
      connectTimeout,
      reconnectStrategy: (retries) => Math.min(100 * 2 ** retries, longestPause),
    },
  })
  let isLost = false
  client.on('error', (error: unknown) => {
    if (isLost) return
    isLost = true
    logger.error({ err: error, redis: redactText(url) }, 'redis cannot be reached')
  })
  client.on('ready', () => {
    if (isLost) logger.info({ redis: redactText(url) }, 'redis is reached again')
    isLost = false
  })
  return {
    sendCommand: (command) => client.sendCommand(command),
    async start() {
      // It settles when connected, however often that fails; only `stop` makes it reject.
      client.connect().catch(() => {})
      await once(client, 'ready').catch(() => {})
    },
    async stop() {
      if (client.isReady) await client.close()
      else if (client.isOpen) client.destroy()
    },
  }
}

function loadRedis(): typeof Redis {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what the package says of itself
  return loadOptional('redis', 'REDIS_URL needs the packages', [
    'redis',
    'rate-limit-redis',
  ]) as typeof Redis
}
