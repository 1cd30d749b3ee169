import { EventEmitter } from 'node:events'
import { CliError, toCliError } from '../errors/cli-error.ts'
import { type AppTools, type AppToolsOptions, prepareAppTools } from '../inspect/app-tools.ts'
import { type Project } from '../project/open-project.ts'
import { type CommandContext } from '../terminal/command-context.ts'
import { settingFiles, watchSources } from './watch-sources.ts'

export interface FollowedTools extends AppTools {
  /** Calls back after a restart in which the tools have changed. */
  readonly onChange: (notify: () => void) => void
}

// Starts the application again after each change of a source file, in a process that was prepared in advance. Calls wait for
// it; those of an application that cannot be imported fail until the next change, and its tools stay listed.
export async function followAppTools(
  project: Project,
  options: AppToolsOptions,
  { progress }: Pick<CommandContext, 'progress'>,
): Promise<FollowedTools> {
  const ended = new AbortController()
  const events = new EventEmitter()
  const first = await prepareAppTools(project, options).start()
  let next = prepareAppTools(project, options)
  let running = Promise.resolve(first)
  let { listed, tools } = first
  let notify: (() => void) | undefined

  async function restart(before: Promise<AppTools>, paths: readonly string[]): Promise<AppTools> {
    await stopTools(before)
    const isStale = next.hasExited || paths.some((path) => settingFiles.has(path))
    if (isStale) next.kill()
    const prepared = isStale ? prepareAppTools(project, options) : next
    try {
      const app = await prepared.start()
      const changed = toText(app) !== toText({ listed, tools })
      ;({ listed, tools } = app)
      if (changed) notify?.()
      return app
    } finally {
      next = prepareAppTools(project, options)
    }
  }

  watchSources(project, events, ended.signal)
  events.on('change', (paths: readonly string[]) => {
    running = restart(running, paths)
    // A call reports it.
    running.catch(() => undefined)
  })
  // Without a watcher, the application stays as it is.
  events.on('error', (error) =>
    progress(`  changes are not followed: ${toCliError(error).message}`),
  )
  return {
    get tools() {
      return tools
    },
    get listed() {
      return listed
    },
    call: async (name, values) => (await running).call(name, values),
    onChange(listener) {
      notify = listener
    },
    async stop() {
      ended.abort()
      await stopTools(running)
      next.kill()
    },
  }
}

function toText({ listed, tools }: Pick<AppTools, 'listed' | 'tools'>): string {
  return JSON.stringify([listed, tools])
}

async function stopTools(running: Promise<AppTools>): Promise<void> {
  try {
    await (await running).stop()
  } catch (error) {
    // One that could not be imported has exited.
    if (!(error instanceof CliError)) throw error
  }
}
