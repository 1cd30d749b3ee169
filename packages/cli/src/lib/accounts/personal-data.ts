import { resolve } from 'node:path'
import { CliError } from '../errors/cli-error.ts'
import { count } from '../terminal/count.ts'
import { type CommandContext } from '../terminal/command-context.ts'
import { printTable } from '../terminal/print-table.ts'
import { type Outcome } from '../terminal/reporter.ts'
import { type AuthFailure, runWithAuth } from './run-with-auth.ts'

export interface ExportUserOptions {
  /** Id or e-mail address. */
  readonly user: string
  readonly out?: string | undefined
}

export interface EraseUserOptions {
  /** Id or e-mail address. */
  readonly user: string
  readonly dryRun?: boolean | undefined
  readonly yes?: boolean | undefined
}

interface Plan {
  readonly userId: string
  readonly started: boolean
  readonly steps: readonly {
    readonly collection: string
    readonly action: string
    readonly path?: string
    readonly documents: number
    readonly reason?: string
  }[]
  readonly open: readonly {
    readonly collection: string
    readonly path?: string
    readonly documents: number
    readonly problem: string
  }[]
}

interface Exported {
  readonly userId: string
  readonly documents: number
  /** Undefined where they were written to a file. */
  readonly lines?: readonly string[]
}

const findId = `async ({ users }, user) => {
  const found = user.includes('@') ? await users.findByEmail(user) : undefined
  if (user.includes('@') && !found) throw Object.assign(new Error(), { code: 'not_found' })
  return found?.id ?? user
}`

// Writes to the file while it reads, so that the export may be larger than the memory.
const exportScript = `async ({ auth }, { out, user }) => {
  const { exportPerson } = await import('@create-api/core/personal-data')
  const { closeSync, openSync, writeSync } = await import('node:fs')
  const userId = await (${findId})(auth, user)
  const file = out === undefined ? undefined : openSync(out, 'w', 0o600)
  const lines = []
  let documents = 0
  for await (const document of exportPerson(auth, userId)) {
    const line = JSON.stringify(document)
    if (file === undefined) lines.push(line)
    else writeSync(file, line + '\\n')
    documents += 1
  }
  if (file !== undefined) closeSync(file)
  return { userId, documents, ...(file === undefined && { lines }) }
}`

const planScript = `async ({ auth }, { user }) => {
  const { planErasure } = await import('@create-api/core/personal-data')
  return planErasure(auth, await (${findId})(auth, user))
}`

const eraseScript = `async ({ auth }, { user }) => {
  const { erasePerson } = await import('@create-api/core/personal-data')
  return erasePerson(auth, user)
}`

export async function exportUser(
  { out, user }: ExportUserOptions,
  context: CommandContext,
): Promise<Outcome> {
  const file = out === undefined ? undefined : resolve(context.cwd, out)
  const input = { user, out: file }
  const { documents, lines, userId } = await run<Exported>(exportScript, input, context)
  return {
    json: {
      command: 'users export',
      id: userId,
      documents,
      out: out ?? null,
      ...(lines && { lines }),
    },
    lines: lines ?? [`  ${count(documents, 'document')} of ${userId} written to ${out}.`],
    notes: [],
  }
}

export async function eraseUser(
  { dryRun = false, user, yes = false }: EraseUserOptions,
  context: CommandContext,
): Promise<Outcome> {
  const plan = await run<Plan>(planScript, { user }, context)
  if (plan.open.length > 0 && !dryRun) {
    throw new CliError('CONFLICT', 'the user cannot be erased yet; nothing was changed', {
      details: describeOpen(plan),
    })
  }
  if (!dryRun) {
    if (!yes) await requireConsent(plan, context)
    await run<Plan>(eraseScript, { user: plan.userId }, context)
  }
  const { open, started, steps, userId } = plan
  return {
    json: { command: 'users erase', dryRun, id: userId, started, steps, open },
    lines: [
      ...(dryRun ? ['Dry run: nothing was changed.'] : []),
      ...describeSteps(plan),
      ...describeOpen(plan),
      ...(dryRun ? [] : [`  ${userId} is erased.`]),
    ],
    notes: [],
    exit: open.length > 0 ? 1 : 0,
  }
}

async function requireConsent(
  plan: Plan,
  { interactive, progress }: CommandContext,
): Promise<void> {
  if (!interactive) {
    throw new CliError('USAGE', `${plan.userId} would be erased, which cannot be undone`, {
      details: describeSteps(plan),
      hint: 'to confirm: --yes; to see it first: --dry-run',
    })
  }
  for (const line of describeSteps(plan)) progress(line)
  const { askYesNo } = await import('../terminal/prompts.ts')
  if (await askYesNo(`Erase ${plan.userId}? This cannot be undone.`, false)) return
  throw new CliError('CANCELLED', 'cancelled; nothing was changed')
}

function describeSteps({ steps }: Plan): readonly string[] {
  const rows = steps.map(({ action, collection, documents, path = '', reason = '' }) => [
    collection,
    path,
    action,
    String(documents),
    reason,
  ])
  return printTable(['collection', 'field', 'action', 'documents', 'reason'], rows)
}

function describeOpen({ open }: Plan): readonly string[] {
  return open.map(
    ({ collection, documents, problem }) =>
      `  ${collection}: ${count(documents, 'document')}. ${problem}`,
  )
}

function run<Value>(script: string, input: object, context: CommandContext): Promise<Value> {
  return runWithAuth<Value>(script, input, { context, toError })
}

function toError({ code, message }: AuthFailure): CliError {
  if (code === 'not_found') {
    return new CliError('USAGE', 'there is no such user', {
      hint: 'set MONGODB_URI if the user is in another database',
    })
  }
  return new CliError(code === 'last_administrator' ? 'CONFLICT' : 'PROBLEMS_FOUND', message)
}
