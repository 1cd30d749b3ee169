import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { pathToFileURL } from 'node:url'
import { CliError } from '../errors/cli-error.ts'
import { findSource, nodeFlags } from '../inspect/run-in-app.ts'
import { type Project } from '../project/open-project.ts'
import { writerScript } from './writer-script.ts'

export interface AppFacts {
  /** Its place, without credentials. */
  readonly database: string
  readonly isEmbedded: boolean
  readonly openapi: unknown
}

export interface WriterOptions {
  readonly path: string
  /** Path of the route, with `:name` for parameters. */
  readonly pattern: string
  readonly type: string
  /** Seconds since the epoch, from which the ids of the documents count. */
  readonly startedAt: number
  /** Part of all ids, 10 hexadecimal digits. */
  readonly seed: string
  /** Check the requests, and create nothing. */
  readonly dryRun: boolean
}

/** The number of a record, and the body of its request. */
export type Entry = readonly [number: number, body: string]

/** The problem that a request has led to. */
export interface Problem {
  readonly status: number
  readonly code: string
  readonly title: string
  readonly errors: readonly { readonly pointer: string; readonly detail: string }[]
}

export interface Written {
  readonly number: number
  readonly problem?: Problem | undefined
}

/** The application in a child process, which creates documents. */
export interface AppWriter {
  readonly facts: AppFacts
  /** Returns whether the ids of the documents are known before they are created. */
  open(options: WriterOptions): Promise<boolean>
  /** Creates documents. Those of records that an interrupted run may have sent are looked for first. */
  write(entries: readonly Entry[], isUncertain: boolean): Promise<readonly Written[]>
  stop(): Promise<void>
}

interface Reply {
  readonly id: number
  readonly value?: unknown
  readonly failure?: {
    readonly message: string
    readonly details: readonly string[]
    readonly hint?: string
  }
}

export interface CallerOptions {
  readonly env: Readonly<Record<string, string | undefined>>
  /** E-mail address of the caller. */
  readonly as: string | undefined
  readonly headers: Readonly<Record<string, string>>
  /** Called with what the user should know, such as a limit that it waits for. */
  readonly onNotice: (notice: string) => void
}

const keptOutput = 16_384
const stopTimeoutMs = 10_000

export async function startAppWriter(
  project: Project,
  { as, env, headers, onNotice }: CallerOptions,
): Promise<AppWriter> {
  const app = pathToFileURL(findSource(project, 'app')).href
  const flags = [...nodeFlags(project), '--input-type=module']
  const child = spawn(process.execPath, [...flags, '-e', writerScript], {
    cwd: project.root,
    // The limits are for clients on the network, and the lines about requests are not printed.
    env: { ...env, RATE_LIMIT: 'off', LOG_LEVEL: env['LOG_LEVEL'] ?? 'warn', ACCESS_LOG: 'off' },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  })
  const calls = new Calls(child, onNotice)
  const facts = await calls
    .call<AppFacts>('start', { app, as, headers })
    .catch(async (error: unknown) => {
      await calls.stop()
      throw error
    })
  return {
    facts,
    open: (options) => calls.call('open', options),
    write: (entries, isUncertain) => calls.call('write', { entries, isUncertain }),
    stop: () => calls.stop(),
  }
}

class Calls {
  readonly #child: ChildProcess
  readonly #exited: Promise<unknown>
  readonly #pending = new Map<number, (reply: Reply) => void>()
  #output = ''
  #lastId = 0

  constructor(child: ChildProcess, onNotice: (notice: string) => void) {
    this.#child = child
    this.#exited = once(child, 'exit')
    for (const stream of [child.stdout, child.stderr]) {
      stream?.on('data', (chunk: Buffer) => {
        this.#output = (this.#output + chunk.toString('utf8')).slice(-keptOutput)
      })
    }
    child.on('message', (reply: Reply & { readonly notice?: string }) => {
      if (reply.notice !== undefined) onNotice(reply.notice)
      else this.#pending.get(reply.id)?.(reply)
    })
    child.once('close', () => this.#failAll())
  }

  async call<Value>(name: string, input: unknown): Promise<Value> {
    const id = ++this.#lastId
    const replied = new Promise<Reply>((resolve) => this.#pending.set(id, resolve))
    if (this.#child.connected) this.#child.send({ id, name, input }, () => undefined)
    else this.#failAll()
    const { failure, value } = await replied
    this.#pending.delete(id)
    if (failure) {
      throw new CliError('PROBLEMS_FOUND', failure.message, {
        details: failure.details.map((line) => `  ${line}`),
        hint: failure.hint,
      })
    }
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- sent by the script
    return value as Value
  }

  async stop(): Promise<void> {
    if (this.#child.connected) this.#child.disconnect()
    // What an application has opened before it failed to start can keep its process alive.
    const timer = setTimeout(() => this.#child.kill('SIGKILL'), stopTimeoutMs)
    await this.#exited
    clearTimeout(timer)
  }

  #failAll(): void {
    const details = this.#output.trim().split('\n').slice(-20)
    for (const [id, settle] of this.#pending) {
      settle({ id, failure: { message: 'the application has exited', details } })
    }
  }
}
