import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import path from 'node:path'
import { z } from 'zod'
import { forkSource, nextMessage } from '../../../packages/core/test/fork-source.ts'

/** A service with nothing but its authentication, in a separate process. */
export interface LoginService {
  readonly url: string
  /** Messages of its log so far. */
  readonly log: () => string[]
}

const children: ChildProcess[] = []

/**
 * Starts a service whose limits are counted in a Redis.
 * @param redisUrl - address of the Redis
 * @param env - what else differs
 * @returns the service, once it listens
 */
export async function startLoginService(
  redisUrl: string,
  env: Readonly<Record<string, string>> = {},
): Promise<LoginService> {
  const child = forkSource(path.join(import.meta.dirname, 'login-service.process.ts'), [], {
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
    env: {
      ...process.env,
      NODE_ENV: 'test',
      MONGODB_URI: 'embedded:memory',
      REDIS_URL: redisUrl,
      LOG_LEVEL: 'info',
      LOG_FORMAT: 'json',
      ...env,
    },
  })
  children.push(child)
  let text = ''
  child.stdout?.on('data', (chunk) => {
    text += String(chunk)
  })
  const message = await nextMessage(child)
  return {
    url: z.object({ url: z.string() }).parse(message).url,
    log: () => text.split('\n').slice(0, -1).map(toMessage),
  }
}

/** Ends every service that was started. */
export async function stopLoginServices(): Promise<void> {
  for (const child of children) {
    if (child.connected) child.disconnect()
    if (child.exitCode === null) await once(child, 'exit')
  }
}

function toMessage(line: string): string {
  const { msg, limit } = JSON.parse(line)
  return limit === undefined ? msg : `${limit}: ${msg}`
}
