import { runAudit } from '../audit/run-audit.ts'
import { CliError } from '../errors/cli-error.ts'
import { count } from '../terminal/count.ts'
import { type CommandContext } from '../terminal/command-context.ts'
import { printTable } from '../terminal/print-table.ts'
import { type Note, type Outcome } from '../terminal/reporter.ts'

export interface AuditChoiceOptions {
  /** Name of the model, or of its collection. */
  readonly model?: string | undefined
  readonly id?: string | undefined
}

export interface ListAuditOptions extends AuditChoiceOptions {
  readonly user?: string | undefined
  readonly limit?: number | undefined
}

interface Entry {
  readonly collection: string
  readonly id: string
  readonly sequence: number
  readonly at: string
  readonly action: string
  readonly caller?: Readonly<Record<string, string>>
  readonly changes: readonly { readonly path: string }[]
}

interface Report {
  readonly documents: number
  readonly entries: number
  readonly signed: boolean
  readonly faults: readonly {
    readonly document: string
    readonly sequence?: number
    readonly code: string
  }[]
}

interface Purged {
  readonly removed: number
  readonly broken: readonly string[]
}

export async function listAudit(
  { id, limit, model, user }: ListAuditOptions,
  context: CommandContext,
): Promise<Outcome> {
  const filter = { ...toChoice({ id, model }), limit, user }
  const entries = await runAudit<readonly Entry[]>(
    { name: 'listAuditEntries', args: [filter] },
    context,
  )
  const rows = entries.map(({ action, at, caller = {}, changes, sequence, ...entry }) => [
    at.slice(0, 19).replace('T', ' '),
    `${entry.collection}/${entry.id}`,
    String(sequence),
    action,
    caller['user'] ?? '',
    changes
      .map(({ path }) => path)
      .join(', ')
      .slice(0, 60),
  ])
  const heading = ['at (UTC)', 'document', 'entry', 'action', 'user', 'fields']
  return {
    json: { command: 'audit list', entries },
    lines: rows.length === 0 ? ['', '  There are no entries.', ''] : printTable(heading, rows),
    notes: [],
  }
}

export async function verifyAudit(
  options: AuditChoiceOptions,
  context: CommandContext,
): Promise<Outcome> {
  const report = await runAudit<Report>({ name: 'verifyAudit', args: [toChoice(options)] }, context)
  const { documents, entries, faults, signed } = report
  const rows = faults.map(({ code, document, sequence }) => [
    document,
    sequence === undefined ? '' : String(sequence),
    code,
  ])
  const result = `${count(entries, 'entry', 'entries')} of ${count(documents, 'document')}`
  return {
    json: { command: 'audit verify', documents, entries, signed, faults },
    lines:
      faults.length === 0
        ? [`  ${result}: nothing was changed, added or removed.`]
        : [
            ...printTable(['document', 'entry', 'fault'], rows),
            `  ${count(faults.length, 'fault')} in ${result}.`,
          ],
    notes: signed ? [] : [unsigned],
    exit: faults.length > 0 ? 1 : 0,
  }
}

const unsigned: Note = {
  kind: 'note',
  message:
    'the entries are not signed: who can write to the database can also compute their hashes. Set AUDIT_SECRET.',
}

export async function purgeAudit(_options: object, context: CommandContext): Promise<Outcome> {
  const { broken, removed } = await runAudit<Purged>({ name: 'purgeAudit', args: [] }, context)
  return {
    json: { command: 'audit purge', removed, broken },
    lines: [`  ${count(removed, 'entry', 'entries')} removed.`],
    notes: broken.map((document) => ({
      kind: 'note',
      message: `the chain of ${document} is broken: its entries stay`,
    })),
    exit: broken.length > 0 ? 1 : 0,
  }
}

function toChoice({ id, model }: AuditChoiceOptions): object {
  if (id === undefined || model !== undefined) return { collection: model, id }
  throw new CliError('USAGE', '--id needs --model', { hint: 'an id belongs to a model' })
}
