import { spawn } from 'node:child_process'
import { EventEmitter, once } from 'node:events'
import { appendFileSync, existsSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { CliError } from '../errors/cli-error.ts'
import { toVariable } from '../recording/placeholders.ts'
import { startProxy } from '../recording/proxy.ts'
import { type Exchange, recordingVersion } from '../recording/recording.ts'
import { createMasker } from '../recording/secrets.ts'
import { requireTarget } from '../recording/target.ts'
import { count } from '../terminal/count.ts'
import { type CommandContext } from '../terminal/command-context.ts'
import { onStopSignal } from '../terminal/on-stop-signal.ts'
import { type Outcome, toWarning } from '../terminal/reporter.ts'

export interface RecordOptions {
  readonly target: string
  readonly port: number
  readonly out: string
  /** Names or paths of further values to mask. */
  readonly mask?: readonly string[] | undefined
  /** Kilobytes of a body. */
  readonly maxBody: number
  readonly force?: boolean | undefined
  /** Program that sends the requests, and its arguments. */
  readonly command: readonly string[]
}

// Records until a signal, or until the command ends.
export async function recordTraffic(
  options: RecordOptions,
  context: CommandContext,
): Promise<Outcome> {
  const target = requireTarget('--target', options.target)
  const file = resolve(context.cwd, options.out)
  if (existsSync(file) && !options.force) {
    throw new CliError('USAGE', `${options.out} exists`, { hint: 'to replace it: --force' })
  }
  const head = { recording: recordingVersion, target: target.origin }
  // Responses contain data of users.
  writeFileSync(file, `${JSON.stringify(head)}\n`, { mode: 0o600 })
  const masker = createMasker(options.mask ?? [])
  const tally = { requests: 0, incomplete: 0 }
  const onExchange = (exchange: Exchange): void => {
    tally.requests += 1
    if (exchange.failure !== undefined) tally.incomplete += 1
    // One write for a line: a process that is killed leaves at most the last one incomplete.
    appendFileSync(file, `${JSON.stringify(exchange)}\n`)
  }
  const { maxBody, port } = options
  const proxy = await listen({ target, port, masker, maxBody: maxBody * 1024, onExchange })
  const url = `http://localhost:${proxy.port}`
  if (options.command.length === 0) {
    context.progress(`recording ${url} → ${target.origin} in ${options.out}; Ctrl+C ends it`)
  }
  const code = await waitForEnd(options.command, url, context)
  await proxy.close()
  const variables = masker.placeholders().map(toVariable)
  return {
    exit: code === 0 ? 0 : 1,
    json: { command: 'record', file: options.out, target: target.origin, ...tally, variables },
    lines: [
      `${count(tally.requests, 'request')}, ${count(variables.length, 'secret')} masked: ${options.out}`,
    ],
    notes: [
      ...(tally.incomplete > 0
        ? [
            toWarning(
              'INCOMPLETE',
              `${count(tally.incomplete, 'request')} without a complete response`,
            ),
          ]
        : []),
      ...(code === 0
        ? []
        : [toWarning('COMMAND_FAILED', `${options.command[0]} ended with ${code}`)]),
    ],
  }
}

async function listen(options: Parameters<typeof startProxy>[0]): ReturnType<typeof startProxy> {
  try {
    return await startProxy(options)
  } catch (error) {
    const isUsed = error instanceof Error && 'code' in error && error.code === 'EADDRINUSE'
    if (!isUsed) throw error
    throw new CliError('USAGE', `port ${options.port} is in use`, {
      hint: 'choose another: --port',
    })
  }
}

async function waitForEnd(
  [program, ...args]: readonly string[],
  url: string,
  { cwd, flags, terminal }: CommandContext,
): Promise<number> {
  const signal = new EventEmitter()
  const stopped = once(signal, 'stop')
  const restore = onStopSignal(() => signal.emit('stop'))
  try {
    if (program === undefined) {
      await stopped
      return 0
    }
    const output = flags.json ? 'ignore' : 'inherit'
    const env = { ...terminal.env, RECORD_URL: url }
    const child = spawn(program, args, { cwd, env, stdio: ['ignore', output, output] })
    const [code]: unknown[] = await once(child, 'close')
    return typeof code === 'number' ? code : 1
  } catch (error) {
    throw new CliError('USAGE', `${program} cannot be run`, { cause: error })
  } finally {
    restore()
  }
}
