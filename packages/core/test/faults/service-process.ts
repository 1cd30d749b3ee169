import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { z } from 'zod'
import { forkSource } from '../fork-source.ts'
import { call } from './client.ts'

/** A service in a separate process. */
export interface ServiceProcess {
  readonly child: ChildProcess
  readonly url: string
  /** What it has logged so far. */
  readonly log: LogLine[]
  /** Resolves with the exit code, null after a signal, once every line is read. */
  readonly exit: Promise<number | null>
}

/** One line of a log. */
export interface LogLine {
  readonly level: string
  readonly msg: string
  readonly [field: string]: unknown
}

const running = new Set<ChildProcess>()

/**
 * Starts a service as in production, without limits that are not under test.
 * @param env - what differs
 * @param file - program of the service
 * @returns the service, once it listens
 * @throws Error when it ends before
 */
export async function startService(
  env: Record<string, string> = {},
  file: string = path.join(import.meta.dirname, 'service.process.ts'),
): Promise<ServiceProcess> {
  const child = forkSource(file, [], {
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
    env: {
      ...process.env,
      NODE_ENV: 'production',
      HOST: '127.0.0.1',
      PORT: '0',
      MONGODB_URI: 'embedded:memory',
      JWT_SECRET: 'q9V5mYt0s1c7hJp3xN8bL2wR6kZ4dF0aG7eU1iO5yTA=',
      DRAIN_DELAY: '0s',
      RATE_LIMIT: 'off',
      AUTH_RATE_LIMIT: 'off',
      ACCESS_LOG: 'off',
      ...env,
    },
  })
  running.add(child)
  const log: LogLine[] = []
  if (child.stdout === null) throw new Error('There is no output to read.')
  const lines = createInterface({ input: child.stdout })
  lines.on('line', (line) => log.push(JSON.parse(line)))
  const [exited, read] = [once(child, 'exit'), once(lines, 'close')]
  const exit = Promise.all([exited, read]).then(([[code]]) => {
    running.delete(child)
    return z.number().nullable().parse(code)
  })
  const message = await Promise.race([once(child, 'message'), exit])
  if (!Array.isArray(message)) throw new ServiceEnded(message, log)
  return { child, log, exit, url: z.object({ url: z.string() }).parse(message[0]).url }
}

/**
 * Asks how late the event loop of a service has been since it was last asked.
 * @param service - the service
 * @returns milliseconds that 99 of 100 turns stayed under
 */
export async function askLoopDelay({ url }: ServiceProcess): Promise<number> {
  const { data } = await call(`${url}/api/trouble/loop-delay`)
  return Number(data?.['p99'])
}

/** A service that ended before it listened. */
export class ServiceEnded extends Error {
  readonly code: number | null
  readonly log: readonly LogLine[]

  /**
   * @param code - exit code
   * @param log - what it had logged
   */
  constructor(code: number | null, log: readonly LogLine[]) {
    super(`The service ended with ${code} before it listened.`)
    this.code = code
    this.log = log
  }
}

/** Ends every service that a failed test has left behind. */
export function killServices(): void {
  for (const child of running) child.kill('SIGKILL')
}
