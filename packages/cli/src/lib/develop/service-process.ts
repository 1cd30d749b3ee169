import { spawn } from 'node:child_process'
import { once } from 'node:events'

export interface ServiceSettings {
  readonly root: string
  /** File that starts the service, relative to `root`. */
  readonly entry: string
  /** Options of Node.js. */
  readonly flags: readonly string[]
  /** Address of the inspector of Node.js; true for the default. */
  readonly inspect?: string | true | undefined
  readonly env: Readonly<Record<string, string | undefined>>
}

// A process of the service that has loaded the framework and waits for `start`.
export interface ServiceProcess {
  /** Resolves when it has exited: to its exit code, or to null after a signal. */
  readonly exited: Promise<number | null>
  readonly hasExited: boolean
  /** Whether `stop` or `kill` has been called. */
  readonly isStopping: boolean
  start(): void
  /** Asks it to shut down, kills it after `timeout` milliseconds, and waits until it has exited. */
  stop(timeout: number): Promise<void>
  kill(): void
}

export function prepareService(settings: ServiceSettings): ServiceProcess {
  const { entry, env, inspect, root } = settings
  const flags = [...settings.flags, '--import', preload]
  if (inspect !== undefined) flags.push(inspect === true ? '--inspect' : `--inspect=${inspect}`)
  const child = spawn(process.execPath, [...flags, entry], {
    cwd: root,
    env: { ...env, [marker]: '1' },
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    // Signals for this process, such as Ctrl+C in a terminal, do not reach it as well: a second one would abort the
    // shutdown. On Windows it would get a separate window.
    detached: process.platform !== 'win32',
  })
  const exited = once(child, 'exit').then(([code]) => code)
  let isStopping = false
  const send = (message: string): void => {
    // It may exit meanwhile.
    if (child.connected) child.send(message, () => undefined)
  }
  const kill = (): void => {
    isStopping = true
    child.kill('SIGKILL')
  }
  return {
    exited,
    get hasExited() {
      return child.exitCode !== null || child.signalCode !== null
    },
    get isStopping() {
      return isStopping
    },
    start: () => send('start'),
    async stop(timeout) {
      isStopping = true
      send('stop')
      const timer = setTimeout(kill, timeout)
      await exited
      clearTimeout(timer)
    },
    kill,
  }
}

// Processes and threads of the service inherit the module below, but not this variable.
const marker = 'API_DEV_PRELOAD'

// Loads the framework, with Express, Mongoose and Zod, before the service is started. What is missing is
// reported by the service itself. It stops when this process has gone, and on Windows, where there
// are no signals, as it does elsewhere.
const preload = `data:text/javascript,${encodeURIComponent(`
  import { createRequire } from 'node:module'
  import { join } from 'node:path'
  import { pathToFileURL } from 'node:url'

  if (process.env.${marker} === '1') {
    delete process.env.${marker}
    const stop = () => {
      if (!process.emit('SIGTERM', 'SIGTERM')) process.exit()
    }
    process.on('disconnect', stop)
    const started = new Promise((resolve) => {
      process.on('message', (message) => (message === 'start' ? resolve() : stop()))
    })
    try {
      const require = createRequire(join(process.cwd(), 'package.json'))
      await import(pathToFileURL(require.resolve('@create-api/core')).href)
    } catch {}
    await started
    process.channel.unref()
  }
`)}`
