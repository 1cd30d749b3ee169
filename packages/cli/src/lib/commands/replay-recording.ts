import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { CliError } from '../errors/cli-error.ts'
import { placeholderPattern, toVariable } from '../recording/placeholders.ts'
import { readRecording } from '../recording/read-recording.ts'
import { findReason, replay, type ReplayResult, type RouteResult } from '../recording/replay.ts'
import { isLocal, requireTarget } from '../recording/target.ts'
import { count } from '../terminal/count.ts'
import { type CommandContext } from '../terminal/command-context.ts'
import { printTable } from '../terminal/print-table.ts'
import { type Note, type Outcome, toWarning } from '../terminal/reporter.ts'

export interface ReplayRecordingOptions {
  readonly file: string
  readonly target: string
  readonly against?: string | undefined
  readonly header?: readonly string[] | undefined
  readonly ignore?: readonly string[] | undefined
  /** Seconds. */
  readonly timeout: number
  readonly yes?: boolean | undefined
}

const comparedHeaders = ['content-type', 'location']

export async function replayRecording(
  options: ReplayRecordingOptions,
  context: CommandContext,
): Promise<Outcome> {
  const target = requireTarget('--target', options.target)
  const against =
    options.against === undefined ? undefined : requireTarget('--against', options.against)
  const path = resolve(context.cwd, options.file)
  if (!existsSync(path)) throw new CliError('USAGE', `${options.file} does not exist`)
  const { env } = context.terminal
  const facts = await examine(path, env)
  requireVariables(facts.missing)
  const remote = [target, ...(against ? [against] : [])].filter((url) => !isLocal(url))
  if (remote.length > 0 && facts.writes > 0 && !options.yes) {
    const hosts = remote.map(({ host }) => host).join(' and ')
    throw new CliError('USAGE', `${count(facts.writes, 'request')} would change data of ${hosts}`, {
      hint: 'to confirm: --yes',
    })
  }
  const { ignore = [], timeout } = options
  const headers = [...comparedHeaders, ...(options.header ?? []).map((name) => name.toLowerCase())]
  const result = await replay(readRecording(path), {
    target,
    against,
    headers,
    ignore,
    env,
    timeout: timeout * 1000,
  })
  return describe(result, options, facts.isIncomplete)
}

interface Facts {
  writes: number
  isIncomplete: boolean
  /** Placeholders in requests that no earlier response contains, with the line. */
  readonly missing: Map<string, number>
}

// Reads the whole recording before anything is sent.
async function examine(
  path: string,
  env: Readonly<Record<string, string | undefined>>,
): Promise<Facts> {
  const facts: Facts = { writes: 0, isIncomplete: false, missing: new Map() }
  const produced = new Set<string>()
  const onIncomplete = (): void => {
    facts.isIncomplete = true
  }
  for await (const { exchange, line } of readRecording(path, { onIncomplete })) {
    if (findReason(exchange) !== undefined) continue
    const { request, response } = exchange
    if (!['GET', 'HEAD', 'OPTIONS'].includes(request.method)) facts.writes += 1
    for (const placeholder of findPlaceholders(request)) {
      const isKnown = produced.has(placeholder) || env[toVariable(placeholder)] !== undefined
      if (!isKnown && !facts.missing.has(placeholder)) facts.missing.set(placeholder, line)
    }
    for (const placeholder of findPlaceholders(response)) produced.add(placeholder)
  }
  return facts
}

function findPlaceholders(message: { readonly body?: unknown } | undefined): readonly string[] {
  const { base64 } = Object(message?.body)
  const binary = typeof base64 === 'string' ? Buffer.from(base64, 'base64').toString('latin1') : ''
  return `${JSON.stringify(message ?? {})}${binary}`.match(placeholderPattern) ?? []
}

function requireVariables(missing: ReadonlyMap<string, number>): void {
  if (missing.size === 0) return
  throw new CliError('USAGE', `${count(missing.size, 'secret')} of the recording must be set`, {
    details: [...missing].map(
      ([placeholder, line]) => `  ${toVariable(placeholder)}  (line ${line})`,
    ),
    hint: 'set the environment variables, which may be empty',
  })
}

function describe(
  { routes, skipped }: ReplayResult,
  { against, file, target }: ReplayRecordingOptions,
  isIncomplete: boolean,
): Outcome {
  const total = (key: 'same' | 'different' | 'failed'): number =>
    routes.reduce((sum, route) => sum + route[key], 0)
  const totals = { same: total('same'), different: total('different'), failed: total('failed') }
  const reasons = Object.entries(skipped).map(([reason, number]): Note =>
    toWarning('SKIPPED', `${count(number, 'request')} skipped: ${reason}`),
  )
  return {
    exit: totals.different + totals.failed > 0 ? 1 : 0,
    json: { command: 'replay', file, target, against, ...totals, skipped, routes },
    lines: [
      ...printTable(heading, routes.map(formatRow)),
      `${totals.same} same, ${totals.different} different, ${totals.failed} failed`,
      ...routes.flatMap(formatFirst),
    ],
    notes: [
      ...reasons,
      ...(isIncomplete ? [toWarning('INCOMPLETE', `the last line of ${file} is incomplete`)] : []),
    ],
  }
}

const heading = ['ROUTE', 'SAME', 'DIFFERENT', 'FAILED']

function formatRow({ different, failed, route, same }: RouteResult): readonly string[] {
  return [route, String(same), String(different), String(failed)]
}

function formatFirst({ first, route }: RouteResult): readonly string[] {
  if (!first) return []
  const { at, failure, left, line, right } = first
  const text = failure ?? `${at} is ${right} instead of ${left}`
  return ['', `${route}, line ${line}:`, `  ${text}`]
}
