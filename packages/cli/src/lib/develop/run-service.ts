import { EventEmitter, on } from 'node:events'
import { createInterface } from 'node:readline'
import { Readable } from 'node:stream'
import { type Project } from '../project/open-project.ts'
import { type CommandContext } from '../terminal/command-context.ts'
import { onStopSignal } from '../terminal/on-stop-signal.ts'
import { prepareService, type ServiceProcess, type ServiceSettings } from './service-process.ts'
import { settingFiles, watchSources } from './watch-sources.ts'

// Packages that load meanwhile would slow down a service that is starting.
const prepareDelayMs = 1000
const restartTimeoutMs = 5000
// The service has a shorter one, SHUTDOWN_TIMEOUT.
const stopTimeoutMs = 60_000

// Runs the service until a signal arrives. After a change, or a line entered in a terminal, it starts again in
// a process that was prepared in advance, so that a restart does not wait for packages to load.
export async function runService(
  settings: ServiceSettings,
  project: Project,
  { progress, terminal }: CommandContext,
): Promise<void> {
  const ended = new AbortController()
  const { signal } = ended
  const events = new EventEmitter()
  const changes = on(events, 'change', { signal })
  watchSources(project, events, signal)
  followInput(terminal.stdin, events, signal)
  let next: ServiceProcess | undefined
  let timer: NodeJS.Timeout | undefined
  let running = start(prepareService(settings))
  const restoreSignals = onStopSignal(() => {
    if (signal.aborted) running.kill()
    ended.abort()
  })

  function start(service: ServiceProcess): ServiceProcess {
    service.start()
    void reportExit(service)
    next = undefined
    // Two processes cannot have the same inspector.
    if (settings.inspect === undefined)
      timer = setTimeout(() => (next = prepareService(settings)), prepareDelayMs)
    return service
  }

  async function reportExit(service: ServiceProcess): Promise<void> {
    const code = await service.exited
    if (!service.isStopping) progress(describeExit(code))
  }

  async function restart(paths: readonly string[]): Promise<void> {
    progress(describeRestart(paths))
    clearTimeout(timer)
    await running.stop(restartTimeoutMs)
    const isStale = next?.hasExited === true || paths.some((path) => settingFiles.has(path))
    if (isStale) next?.kill()
    running = start(next === undefined || isStale ? prepareService(settings) : next)
  }

  try {
    for await (const [paths] of changes) await restart(paths)
  } catch (error) {
    if (!signal.aborted) throw error
  } finally {
    ended.abort()
    clearTimeout(timer)
    next?.kill()
    await running.stop(stopTimeoutMs)
    restoreSignals()
  }
}

function followInput(
  input: CommandContext['terminal']['stdin'],
  events: EventEmitter,
  signal: AbortSignal,
): void {
  if (input.isTTY !== true || !(input instanceof Readable)) return
  createInterface({ input, signal }).on('line', () => events.emit('change', []))
}

function describeRestart(paths: readonly string[]): string {
  const [first, ...others] = paths
  if (first === undefined) return '  restarting'
  return `  restarting after a change of ${first}${others.length > 0 ? ` and ${others.length} more` : ''}`
}

function describeExit(code: number | null): string {
  const how = code === null ? 'was killed' : `exited with code ${code}`
  return `  the service ${how}; it starts again after a change`
}
