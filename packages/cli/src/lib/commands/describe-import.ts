import { basename } from 'node:path'
import { type Cause } from '../import/causes.ts'
import { type Progress } from '../import/progress-file.ts'
import { type ImportResult } from '../import/run-import.ts'
import { apiCommand } from '../terminal/api-command.ts'
import { count } from '../terminal/count.ts'
import { quoteForShell } from '../terminal/quote-for-shell.ts'
import { type Note, type Outcome } from '../terminal/reporter.ts'

/** What is imported, and where to. */
export interface ImportFacts {
  /** As the user has named them. */
  readonly resource: string
  readonly file: string
  /** The path of the requests. */
  readonly path: string
  readonly database: string
  /** Names of fields by their columns. */
  readonly columns: Readonly<Record<string, string>>
  /** Number of records; undefined for standard input. */
  readonly total: number | undefined
}

interface Files {
  readonly earlier: Progress
  readonly keepsIds: boolean
  readonly rejectedFile: string
}

export function describeResult(
  facts: ImportFacts,
  { causes, progress, stopped }: ImportResult,
  { earlier, keepsIds, rejectedFile }: Files,
): Outcome {
  const name = basename(rejectedFile)
  const created = progress.created - earlier.created
  return {
    exit: toExit(progress, stopped),
    json: {
      command: 'import',
      dryRun: false,
      ...toJson(facts),
      finished: progress.isFinished,
      read: progress.done,
      total: facts.total,
      created: progress.created,
      rejected: progress.rejected,
      continuedAfter: earlier.done,
      causes: causes.list(),
      rejectedFile: progress.rejected > 0 ? rejectedFile : undefined,
    },
    lines: [
      '',
      `  created    ${count(created, 'document')}${earlier.done > 0 ? `, after ${earlier.created} of an earlier run` : ''}`,
      ...describeCauses(causes.list(), progress.rejected),
      '',
    ],
    notes: [
      ...(progress.rejected > 0 ? [toRejectedNote(name, facts.resource)] : []),
      ...(stopped === undefined ? [] : [toContinueNote(progress, facts)]),
      ...(keepsIds || facts.total === undefined ? [] : [idNote]),
    ],
  }
}

const idNote: Note = {
  kind: 'note',
  code: 'IDS_NOT_CHOSEN',
  message:
    'the router names no model with ObjectIds, so if this import is killed, continuing it can create up to 8 documents twice',
}

function toRejectedNote(name: string, resource: string): Note {
  return {
    kind: 'next',
    message: `correct the lines in ${name}, then import that file with the same options:`,
    commands: [`${apiCommand} import ${quoteForShell(resource)} ${quoteForShell(name)}`],
  }
}

function toContinueNote({ done }: Progress, { total }: ImportFacts): Note {
  const next =
    total === undefined
      ? 'standard input cannot be continued'
      : 'to continue, run the same command again'
  return { kind: 'next', message: `stopped after ${count(done, 'line')}; ${next}` }
}

function describeCauses(causes: readonly Cause[], rejected: number): readonly string[] {
  if (rejected === 0) return []
  const shown = causes.slice(0, 10)
  const width = String(shown[0]?.count ?? 0).length
  const more = causes.length - shown.length
  return [
    `  rejected   ${count(rejected, 'line')}`,
    ...shown.map(
      ({ count: times, lines, reason }) =>
        `    ${String(times).padStart(width)}  ${reason}  (line ${lines.join(', ')}${times > lines.length ? ', …' : ''})`,
    ),
    ...(more > 0 ? [`    and ${more} other reasons`] : []),
  ]
}

export function describeFinished(
  facts: ImportFacts,
  { created, done, rejected }: Progress,
): Outcome {
  return {
    json: {
      command: 'import',
      dryRun: false,
      ...toJson(facts),
      finished: true,
      read: done,
      total: facts.total,
      created,
      rejected,
      continuedAfter: done,
      causes: [],
    },
    lines: [
      '',
      `  unchanged  the file was imported: ${count(created, 'document')}, ${rejected} rejected`,
      '',
    ],
    notes: [{ kind: 'note', message: 'to import all lines again: --restart' }],
  }
}

export function describeCheck(
  facts: ImportFacts,
  { causes, progress, stopped }: ImportResult,
  bodies: readonly string[],
): Outcome {
  return {
    exit: toExit(progress, stopped),
    json: {
      command: 'import',
      dryRun: true,
      ...toJson(facts),
      accepted: progress.created,
      rejected: progress.rejected,
      causes: causes.list(),
      requests: bodies.map((body) => JSON.parse(body)),
    },
    lines: [
      '',
      ...bodies.map((body) => `  POST ${facts.path} ${shorten(body)}`),
      '',
      `  accepted   ${progress.created} of ${count(progress.done, 'line')}`,
      ...describeCauses(causes.list(), progress.rejected),
      '',
    ],
    notes: [{ kind: 'note', message: uncheckedMessage }],
  }
}

const uncheckedMessage =
  'nothing was created; what the service and the database check when they create a document, such as unique fields, was not checked'

function shorten(text: string): string {
  return text.length > 500 ? `${text.slice(0, 500)}…` : text
}

function toExit({ rejected }: Progress, stopped: ImportResult['stopped']): number {
  if (stopped === 'signal') return 130
  return rejected > 0 ? 1 : 0
}

function toJson({ columns, database, file, path }: ImportFacts): object {
  return { resource: path, file, database, columns }
}
