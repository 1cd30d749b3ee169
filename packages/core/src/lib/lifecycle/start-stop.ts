import { type Server } from 'node:http'
import { type Database } from '../database/connect.ts'
import { within } from '../runtime/within.ts'

/** Options for `api.start()`. */
export interface StartOptions {
  /**
   * TCP port; 0 selects a free port.
   * @default the configured port
   */
  port?: number | undefined
  /**
   * Name of the database on the server.
   * @default the one in the URI
   */
  databaseName?: string | undefined
  /**
   * Whether SIGTERM, SIGINT and, outside tests, uncaught errors stop the API and exit the process.
   * @default true
   */
  signals?: boolean | undefined
}

/** A started API: its URL, HTTP server and database. */
export interface Started {
  /** URL with scheme and port: `http://localhost:3000`; empty with `WORKER=only`. */
  readonly url: string
  /**
   * The HTTP server; undefined in the primary process of several `workers`, which only manages them, and with `WORKER=only`.
   */
  readonly server: Server | undefined
  /** The database; undefined without one, and in the primary process of several `workers`. */
  readonly database: Database | undefined
}

export type Ending = 'finished' | 'forced'

export interface Lifecycle {
  readonly started: Started | undefined
  /** Whether the API is stopping: it is not ready, and responses close their connection. */
  readonly draining: boolean
  start(options?: StartOptions): Promise<Started>
  stop(): Promise<Ending>
}

/** All times are in milliseconds. */
export interface StopTimes {
  /** Time between failing readiness and refusing new connections. */
  readonly drainDelay: number
  /** Time from the call of `stop` to its end, whatever hangs. */
  readonly shutdownTimeout: number
}

export interface StartStopSteps extends StopTimes {
  open(options: StartOptions): Promise<Started>
  close(closing: Closing): Promise<Ending>
}

export interface Closing {
  /** Waits for a start in progress; resolves to undefined if it failed. */
  readonly opened: () => Promise<Started | undefined>
  /** Milliseconds until the deadline. */
  readonly timeLeft: () => number
}

// Time kept for closing the database, when requests have used up the rest.
export function reserveTime({ drainDelay, shutdownTimeout }: StopTimes): number {
  return Math.min(1000, (shutdownTimeout - drainDelay) / 5)
}

export function createStartStop(steps: StartStopSteps): Lifecycle {
  let starting: Promise<Started> | undefined
  let stopping: Promise<Ending> | undefined
  let started: Started | undefined

  async function start(options: StartOptions): Promise<Started> {
    started = await steps.open(options)
    return started
  }

  async function opened(): Promise<Started | undefined> {
    await starting?.catch(() => {})
    return started
  }

  function close(): Promise<Ending> {
    const deadline = performance.now() + steps.shutdownTimeout
    const timeLeft = (): number => deadline - performance.now()
    return within(timeLeft(), steps.close({ opened, timeLeft }), (): Ending => 'forced')
  }

  return {
    get started() {
      return started
    },
    get draining() {
      return stopping !== undefined
    },
    start(options = {}) {
      if (stopping) throw new Error('The API has been stopped. Create a new one to start again.')
      return (starting ??= start(options))
    },
    stop() {
      return (stopping ??= close())
    },
  }
}
