import { join } from 'node:path'
import { CliError, type CliErrorCode } from '../errors/cli-error.ts'
import { runInApp } from '../inspect/run-in-app.ts'
import { toMigrationFolder } from '../project/migration-files.ts'
import { openProject } from '../project/open-project.ts'
import { type CommandContext } from '../terminal/command-context.ts'

export interface DoneMigration {
  readonly name: string
  readonly direction: 'up' | 'down'
  readonly durationMs: number
  readonly documents: number
}

export interface PlannedMigration {
  readonly name: string
  readonly isBegun: boolean
  readonly steps: readonly { readonly description: string; readonly documents?: number }[]
}

export interface MigrationStatus {
  readonly entries: readonly {
    readonly name: string
    readonly state: string
    readonly record?: {
      readonly appliedAt?: string
      readonly durationMs: number
      readonly documents: number
      readonly version: string
    }
  }[]
  readonly running?: { readonly host: string; readonly pid: number }
}

// A request to the migrator of @create-api/core.
export interface Call {
  readonly method: 'status' | 'planUp' | 'planDown' | 'up' | 'down' | 'redo'
  readonly options?: object
}

type Notice =
  | { readonly kind: 'wait'; readonly host: string; readonly pid: number }
  | { readonly kind: 'start'; readonly name: string; readonly direction: 'up' | 'down' }
  | {
      readonly kind: 'progress'
      readonly description: string
      readonly documents: number
      readonly total: number
      readonly remainingMs: number
    }

type Reply<Value> =
  | { readonly value: Value; readonly failure?: undefined }
  | { readonly failure: { readonly code?: string; readonly message: string } }

const script = `async (api, input, notify) => {
  const { withMigrator } = await import('@create-api/core/internal')
  const stop = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => stop.abort())
  let reportedAt = 0
  const options = {
    directory: input.directory,
    signal: stop.signal,
    onWait: ({ host, pid }) => notify({ kind: 'wait', host, pid }),
    onStart: (name, direction) => notify({ kind: 'start', name, direction }),
    onProgress: ({ description, documents, total, remainingMs }) => {
      if (documents < total && performance.now() - reportedAt < 2000) return
      reportedAt = performance.now()
      notify({ kind: 'progress', description, documents, total, remainingMs })
    },
    onDone: () => {},
  }
  try {
    const value = await withMigrator(api, options, (migrator) => migrator[input.method](input.options))
    return { value }
  } catch (error) {
    return { failure: { code: error.code, message: error.message } }
  }
}`

const errorCodes: ReadonlyMap<string, CliErrorCode> = new Map(
  Object.entries<CliErrorCode>({
    migration_not_found: 'USAGE',
    migration_files: 'CONFLICT',
    migration_history: 'CONFLICT',
    migration_irreversible: 'CONFLICT',
  }),
)

// Calls the migrator with the application and its database, and prints what it does.
export async function runMigrator<Value>(
  { method, options }: Call,
  context: CommandContext,
): Promise<Value> {
  const project = openProject(context.cwd)
  const reply = await runInApp<Reply<Value>>(project, script, {
    env: context.terminal.env,
    input: { method, options, directory: join(project.root, toMigrationFolder(project)) },
    onNotice: (notice) => {
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- sent by the script above
      if (!context.flags.json) context.progress(formatNotice(notice as Notice))
    },
  })
  if (reply.failure === undefined) return reply.value
  const [message = '', ...details] = reply.failure.message.split('\n')
  throw new CliError(errorCodes.get(reply.failure.code ?? '') ?? 'MIGRATION_FAILED', message, {
    details,
  })
}

function formatNotice(notice: Notice): string {
  switch (notice.kind) {
    case 'wait':
      return `  waiting for process ${notice.pid} on ${notice.host}, which runs migrations`
    case 'start':
      return `  ${(notice.direction === 'up' ? 'apply' : 'revert').padEnd(11)}${notice.name}`
    default: {
      const { description, documents, remainingMs, total } = notice
      const left = documents === total ? '' : `, about ${formatDuration(remainingMs)} left`
      return `             ${description}: ${documents} of ${total}${left}`
    }
  }
}

export function formatDuration(ms: number): string {
  if (ms < 1000) return `${ms} ms`
  const seconds = Math.round(ms / 1000)
  if (seconds < 60) return `${seconds} s`
  const minutes = Math.round(seconds / 60)
  return minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`
}
