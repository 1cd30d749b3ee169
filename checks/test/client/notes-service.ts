import { type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { z } from 'zod'
import { forkSource, nextMessage } from '../../../packages/core/test/fork-source.ts'

const event = z.object({ event: z.string(), time: z.iso.datetime() })

/** A service in a separate process, with a database that survives it. */
export interface NotesService {
  readonly url: string
  /** Counts the events of authentication of one kind, in all processes so far. */
  count(name: string): number
  /** Milliseconds between successive refreshes. */
  readonly gaps: readonly number[]
  /** Forgets the events so far. */
  forget(): void
  /** Ends the process. */
  end(signal: 'SIGTERM' | 'SIGKILL'): Promise<void>
  /** Starts another process with the same database. */
  start(): Promise<void>
  /** Ends the process and removes the database. */
  stop(): Promise<void>
}

/**
 * Starts a service.
 * @param env - what differs
 * @returns the service, once it listens
 */
export async function startNotesService(env: Record<string, string> = {}): Promise<NotesService> {
  const folder = await mkdtemp(path.join(tmpdir(), 'create-api-notes-'))
  let seen: { readonly name: string; readonly at: number }[] = []
  let child: ChildProcess
  let url = ''

  async function start(): Promise<void> {
    child = forkSource(path.join(import.meta.dirname, 'notes.process.ts'), [], {
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
      env: {
        ...process.env,
        NODE_ENV: 'production',
        HOST: '127.0.0.1',
        PORT: '0',
        MONGODB_URI: `embedded:${folder}`,
        JWT_SECRET: 'q9V5mYt0s1c7hJp3xN8bL2wR6kZ4dF0aG7eU1iO5yTA=',
        DRAIN_DELAY: '0s',
        RATE_LIMIT: 'off',
        ACCESS_LOG: 'off',
        ...env,
      },
    })
    url = z.object({ url: z.string() }).parse(await nextMessage(child)).url
    child.on('message', (message) => {
      const { success, data } = event.safeParse(message)
      if (success) seen.push({ name: data.event, at: Date.parse(data.time) })
    })
  }

  async function end(signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
    const exit = once(child, 'exit')
    child.kill(signal)
    await exit
  }

  await start()
  return {
    get url() {
      return url
    },
    count: (name) => seen.filter((item) => item.name === name).length,
    get gaps() {
      const times = seen.filter(({ name }) => name === 'auth.refreshed').map(({ at }) => at)
      return times.slice(1).map((time, index) => time - (times[index] ?? 0))
    },
    forget() {
      seen = []
    },
    end,
    start,
    async stop() {
      await end('SIGTERM')
      await rm(folder, { recursive: true, force: true })
    },
  }
}
