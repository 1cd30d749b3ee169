import { type EventEmitter, once } from 'node:events'
import { type Logger } from '../logging/logger.ts'
import { redactText } from '../logging/redact.ts'
import { loadOptional } from '../runtime/optional-package.ts'

export interface RedisOptions {
  /** Address: `redis://` or, with TLS, `rediss://`. */
  readonly url: string
  /** Logs when the connection is lost and restored. */
  readonly logger: Pick<Logger, 'info' | 'error'>
}

/** A connection to Redis that reconnects automatically. */
export interface RedisConnection {
  /**
   * Sends one command; rejects at once while there is no connection.
   * @param command - name and arguments
   */
  readonly sendCommand: (command: string[]) => Promise<unknown>
  /** Connects, and retries until `stop`; resolves after the first attempt, even a failed one. */
  start(): Promise<void>
  /** Waits for pending commands, then closes. */
  stop(): Promise<void>
}

/** The part of the package `redis` that is used. */
export interface RedisPackage {
  readonly createClient: (options: {
    readonly url: string
    readonly disableOfflineQueue: boolean
    readonly socket: {
      readonly connectTimeout: number
      readonly reconnectStrategy: (retries: number) => number
    }
  }) => RedisClient
}

interface RedisClient extends EventEmitter {
  readonly isOpen: boolean
  readonly isReady: boolean
  connect(): Promise<unknown>
  close(): Promise<void>
  destroy(): void
  sendCommand(command: string[]): Promise<unknown>
}

const connectTimeout = 2000
const maxRetryDelay = 2000

export function createRedisConnection({ url, logger }: RedisOptions): RedisConnection {
  const { createClient } = loadRedis()
  const client = createClient({
    url,
    // A queued command would delay its request; it should fail at once.
    disableOfflineQueue: true,
    socket: {
      connectTimeout,
      reconnectStrategy: (retries) => Math.min(100 * 2 ** retries, maxRetryDelay),
    },
  })
  let isLost = false
  client.on('error', (error: unknown) => {
    if (isLost) return
    isLost = true
    logger.error({ err: error, redis: redactText(url) }, 'redis is unreachable')
  })
  client.on('ready', () => {
    if (isLost) logger.info({ redis: redactText(url) }, 'redis is reachable again')
    isLost = false
  })
  return {
    sendCommand: (command) => client.sendCommand(command),
    async start() {
      // Resolves when connected, after any number of failures; rejects only after `stop`.
      client.connect().catch(() => {})
      await once(client, 'ready').catch(() => {})
    },
    async stop() {
      if (client.isReady) await client.close()
      else if (client.isOpen) client.destroy()
    },
  }
}

function loadRedis(): RedisPackage {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what is used of the package
  return loadOptional('redis', 'REDIS_URL needs the packages', [
    'redis',
    'rate-limit-redis',
  ]) as RedisPackage
}
