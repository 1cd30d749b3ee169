import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import path from 'node:path'
import { z } from 'zod'
import { forkSource, nextMessage } from '../fork-source.ts'

/** Services in separate processes that share the counts of a limit of 50. */
export interface SharedLimits {
  /**
   * Sends each service 100 requests, all at the same time.
   * @returns how many responses had each status
   */
  count(): Promise<Readonly<Record<string, number>>>
  /** Ends the services. */
  stop(): Promise<void>
}

/**
 * Starts two services.
 * @param env - where their data and the counts are
 * @returns the services, once they listen
 */
export async function startSharedLimits(
  env: Readonly<Record<string, string>>,
): Promise<SharedLimits> {
  const children: ChildProcess[] = []
  const limit = { RATE_LIMIT: '50', RATE_LIMIT_WINDOW: '1d', LOG_LEVEL: 'silent' }

  async function start(): Promise<string> {
    const child = forkSource(path.join(import.meta.dirname, 'notes-service.process.ts'), [], {
      env: { ...process.env, ...limit, ...env },
    })
    children.push(child)
    return z.object({ url: z.string() }).parse(await nextMessage(child)).url
  }

  const urls = await Promise.all([start(), start()])
  return {
    async count() {
      const responses = await Promise.all(
        urls.flatMap((url) => Array.from({ length: 100 }, () => fetch(`${url}/api/notes`))),
      )
      const counts: Record<string, number> = {}
      for (const { status } of responses) counts[status] = (counts[status] ?? 0) + 1
      return counts
    },
    async stop() {
      for (const child of children) {
        child.disconnect()
        if (child.exitCode === null) await once(child, 'exit')
      }
    },
  }
}
