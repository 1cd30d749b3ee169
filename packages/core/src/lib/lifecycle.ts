import { once } from 'node:events'
import { type Server } from 'node:http'
import { type Database } from './database/connect.ts'

/** Options for `api.start()`. */
export interface StartOptions {
  /**
   * TCP port; 0 takes a free one.
   * @default the configured port
   */
  port?: number | undefined
  /**
   * Name of the database on the server.
   * @default the one in the URI
   */
  databaseName?: string | undefined
  /**
   * Whether SIGTERM and SIGINT stop the API and end the process.
   * @default true
   */
  signals?: boolean | undefined
}

/** Where a started API listens. */
export interface Started {
  /** Address with scheme and port: `http://localhost:3000`. */
  readonly url: string
  readonly server: Server
  readonly database: Database | undefined
}

/** What a lifecycle needs to know. */
export interface LifecycleSettings {
  readonly host: string
  readonly port: number
  /** Time in milliseconds between failing readiness and closing the door. */
  readonly drainDelay: number
  /** Time in milliseconds after which open connections are cut. */
  readonly shutdownTimeout: number
  createServer(): Server
  connect(options: StartOptions): Promise<Database | undefined>
  /** Finishes what still needs the database when the last request has been answered. */
  beforeDatabaseStops(): Promise<void>
  /** Called when requests are served. */
  onStart(started: Started): void
  /** Called when a signal was received. */
  onSignal(signal: NodeJS.Signals): void
}

/** Starts and stops an API. */
export interface Lifecycle {
  readonly started: Started | undefined
  /** Whether the API is stopping: it is not ready, and answers close their connection. */
  readonly draining: boolean
  /** Connects the database and listens to nothing. */
  connect(options?: StartOptions): Promise<void>
  start(options?: StartOptions): Promise<Started>
  stop(): Promise<void>
}

/**
 * Makes the lifecycle of one API: the database first, then the door; on the way out the door
 * first, then the database.
 * @param settings - address, times and parts
 * @returns the lifecycle
 */
export function createLifecycle(settings: LifecycleSettings): Lifecycle {
  let connecting: Promise<Database | undefined> | undefined
  let starting: Promise<Started> | undefined
  let stopping: Promise<void> | undefined
  let started: Started | undefined
  let removeSignals: (() => void) | undefined

  function connect(options: StartOptions): Promise<Database | undefined> {
    requireNotStopped()
    return (connecting ??= settings.connect(options))
  }

  async function open(options: StartOptions): Promise<Started> {
    const database = await connect(options)
    const server = settings.createServer()
    try {
      const url = await listen(server, options.port ?? settings.port, settings.host)
      started = { url, server, database }
    } catch (error) {
      connecting = undefined
      await database?.stop()
      throw error
    }
    if (options.signals ?? true) removeSignals = onSignals(lifecycle, settings)
    settings.onStart(started)
    return started
  }

  async function close(): Promise<void> {
    await starting?.catch(() => {})
    if (started) {
      await sleep(settings.drainDelay)
      await closeServer(started.server, settings.shutdownTimeout)
    }
    const database = await connecting?.catch(() => undefined)
    await settings.beforeDatabaseStops()
    await database?.stop()
    removeSignals?.()
  }

  function requireNotStopped(): void {
    if (stopping) throw new Error('The API has been stopped; make a new one to start again.')
  }

  const lifecycle: Lifecycle = {
    get started() {
      return started
    },
    get draining() {
      return stopping !== undefined
    },
    async connect(options = {}) {
      await connect(options)
    },
    start(options = {}) {
      requireNotStopped()
      return (starting ??= open(options))
    },
    stop() {
      return (stopping ??= close())
    },
  }
  return lifecycle
}

async function listen(server: Server, port: number, host: string): Promise<string> {
  server.listen(port, host)
  try {
    await once(server, 'listening')
  } catch (cause) {
    throw new Error(explainListenError(cause, port, host), { cause })
  }
  const address = server.address()
  const actual = typeof address === 'object' ? address?.port : address
  return `http://${isLocal(host) ? 'localhost' : host}:${actual}`
}

function isLocal(host: string): boolean {
  return ['0.0.0.0', '::', '127.0.0.1', '::1', 'localhost'].includes(host)
}

function explainListenError(cause: unknown, port: number, host: string): string {
  const { code, message }: NodeJS.ErrnoException =
    cause instanceof Error ? cause : new Error(String(cause))
  if (code === 'EADDRINUSE') {
    return `Port ${port} is in use. Stop the other process or choose another port: PORT=${port + 1}`
  }
  if (code === 'EACCES') return `Port ${port} needs more rights. Choose one above 1023: PORT=3000`
  if (code === 'EADDRNOTAVAIL') {
    return `This machine has no address ${host}. Choose another one: HOST=127.0.0.1`
  }
  return `Cannot listen on ${host}:${port}: ${message}`
}

async function closeServer(server: Server, timeout: number): Promise<void> {
  const closed = once(server, 'close')
  server.close()
  server.closeIdleConnections()
  // A connection that never spoke counts as idle only later, and a busy one when it has answered.
  const sweep = setInterval(() => server.closeIdleConnections(), 100)
  const deadline = setTimeout(() => server.closeAllConnections(), timeout)
  await closed
  clearInterval(sweep)
  clearTimeout(deadline)
}

function onSignals(lifecycle: Lifecycle, settings: LifecycleSettings): () => void {
  const onSignal = (signal: NodeJS.Signals): void => {
    // Whoever asks twice does not want to wait.
    if (lifecycle.draining) process.exit(1)
    settings.onSignal(signal)
    lifecycle.stop().then(
      () => process.exit(0),
      () => process.exit(1),
    )
  }
  process.on('SIGTERM', onSignal).on('SIGINT', onSignal)
  return () => {
    process.off('SIGTERM', onSignal).off('SIGINT', onSignal)
  }
}

function sleep(ms: number): Promise<void> {
  return ms > 0 ? new Promise((resolve) => setTimeout(resolve, ms)) : Promise.resolve()
}
