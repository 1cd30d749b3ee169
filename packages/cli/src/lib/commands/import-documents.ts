import { basename, dirname, extname, join, resolve } from 'node:path'
import { CliError } from '../errors/cli-error.ts'
import { suggestName } from '../errors/suggest-name.ts'
import { type AppWriter, startAppWriter, type WriterOptions } from '../import/app-writer.ts'
import { type Cause } from '../import/causes.ts'
import { findTarget, type Target } from '../import/find-target.ts'
import { type MappingOptions, readMapping } from '../import/mapping.ts'
import { type ColumnPlan, planColumns } from '../import/plan-columns.ts'
import {
  hashOptions,
  type ImportIdentity,
  type Progress,
  readProgress,
  startProgress,
  writeProgress,
} from '../import/progress-file.ts'
import { createProgressLine } from '../import/progress-line.ts'
import { delimiters, readCsv } from '../import/read-csv.ts'
import { readJsonArray, readNdjson } from '../import/read-json.ts'
import { type RecordReader } from '../import/record.ts'
import { openRejectedFile, type RejectedFile } from '../import/rejected-file.ts'
import { type ImportResult, type ImportRun, runImport } from '../import/run-import.ts'
import { hashFile, openFile, openStdin, type Source } from '../import/source.ts'
import { createConverter } from '../import/to-document.ts'
import { openProject } from '../project/open-project.ts'
import { apiCommand } from '../terminal/api-command.ts'
import { count } from '../terminal/count.ts'
import { type CommandContext } from '../terminal/command-context.ts'
import { quoteForShell } from '../terminal/quote-for-shell.ts'
import { type Note, type Outcome } from '../terminal/reporter.ts'
import { readHeaders } from './send-request.ts'

export interface ImportOptions extends MappingOptions {
  /** Name of a resource, or path of the route that creates documents. */
  readonly resource: string
  /** Path of the file; `-` for standard input. */
  readonly file: string
  readonly format?: string | undefined
  readonly encoding?: string | undefined
  readonly delimiter?: string | undefined
  /** Between the items of a list in a cell. */
  readonly listSeparator?: string | undefined
  readonly keepApostrophes?: boolean | undefined
  /** E-mail address of the caller. */
  readonly as?: string | undefined
  /** `Name: value`. */
  readonly header?: readonly string[] | undefined
  readonly dryRun?: boolean | undefined
  readonly maxErrors?: number | undefined
  readonly restart?: boolean | undefined
  readonly yes?: boolean | undefined
}

// Creates a document for each record of a file, by the requests that a client would send.
export async function importDocuments(
  options: ImportOptions,
  context: CommandContext,
): Promise<Outcome> {
  const project = openProject(context.cwd)
  const { env, stdin } = context.terminal
  const mapping = readMapping(toMappingOptions(options, context.cwd))
  const headers = readHeaders(options.header ?? [])
  const isStdin = options.file === '-'
  const path = resolve(context.cwd, options.file)
  const source = isStdin
    ? await openStdin(stdin, options.encoding)
    : openFile(path, options.encoding)
  const reader = await openReader(source, options)
  const total = isStdin ? undefined : await countRecords(reader)
  const writer = await startAppWriter(project, {
    env,
    as: options.as,
    headers,
    onNotice: (notice) => context.progress(`  ${notice}`),
  })
  try {
    const target = findTarget(options.resource, writer.facts.openapi)
    const plan = planColumns(reader.columns, target, mapping)
    for (const note of [...reader.notes, ...plan.notes]) context.progress(`  note: ${note}`)
    const job: Job = {
      options,
      context,
      source,
      reader,
      total,
      writer,
      target,
      plan,
      path,
      isStdin,
    }
    return options.dryRun ? await checkRecords(job) : await importRecords(job)
  } finally {
    await writer.stop()
  }
}

interface Job {
  readonly options: ImportOptions
  readonly context: CommandContext
  readonly source: Source
  readonly reader: RecordReader
  /** Number of records; undefined for standard input. */
  readonly total: number | undefined
  readonly writer: AppWriter
  readonly target: Target
  readonly plan: ColumnPlan
  readonly path: string
  readonly isStdin: boolean
}

function toMappingOptions({ ignore, map, set }: MappingOptions, cwd: string): MappingOptions {
  const isPath = (text: string): boolean => text.endsWith('.json') && !text.includes('=')
  return { ignore, set, map: map?.map((text) => (isPath(text) ? resolve(cwd, text) : text)) }
}

async function openReader(source: Source, options: ImportOptions): Promise<RecordReader> {
  const format = options.format ?? toFormat(options.file)
  if (format === 'ndjson') return readNdjson(source)
  if (format === 'json') return readJsonArray(source)
  return readCsv(source, { ...options, delimiter: toDelimiter(options.delimiter) })
}

function toFormat(file: string): string {
  const extension = extname(file).slice(1).toLowerCase()
  if (['csv', 'tsv', 'txt'].includes(extension)) return 'csv'
  if (extension === 'json') return extension
  if (['ndjson', 'jsonl'].includes(extension)) return 'ndjson'
  throw new CliError(
    'USAGE',
    `the format of ${file === '-' ? 'standard input' : file} is not known`,
    {
      hint: '--format csv, ndjson or json',
    },
  )
}

function toDelimiter(text: string | undefined): string | undefined {
  if (text === undefined) return undefined
  const found = Object.entries(delimiters).find(([word, one]) => text === word || text === one)
  if (found) return found[1]
  if (text.length === 1 && !/["\r\n]/.test(text)) return text
  throw new CliError('USAGE', `"${text}" is not a delimiter`, {
    hint: suggestName(text, Object.keys(delimiters)),
  })
}

// Reads the whole file once, so that a fault of it is found before anything is created.
async function countRecords(reader: RecordReader): Promise<number> {
  let total = 0
  for await (const _ of reader.read()) total += 1
  return total
}

async function importRecords(job: Job): Promise<Outcome> {
  const { context, options, target, writer } = job
  const { database, isEmbedded } = writer.facts
  if (database === 'embedded:memory') {
    throw new CliError('USAGE', 'the database is in memory, so the documents would be lost', {
      hint: 'set MONGODB_URI, or check the file with --dry-run',
    })
  }
  const identity = await identify(job)
  const stateFile = job.isStdin ? undefined : `${job.path}.import.json`
  const earlier = readProgress(stateFile, identity, options.restart === true)
  if (earlier.isFinished) return describeFinished(job, earlier)
  if (!isEmbedded && !options.yes) await requireConsent(job, earlier)
  context.progress(
    `  ${earlier.done > 0 ? 'continue' : 'import'}   POST ${target.path}, database ${database}`,
  )
  const keepsIds = await writer.open(toWriterOptions(job, earlier))
  const store = (progress: Progress): void => {
    if (stateFile !== undefined) writeProgress(stateFile, progress)
  }
  // What is sent can be found again only with the seed of its ids.
  store(earlier)
  const line = createProgressLine(context, job.total)
  const rejectedFile = toRejectedPath(job)
  const result = await runImport({
    ...toRun(job, earlier),
    batch: keepsIds ? 200 : 8,
    rejected: openRejectedFile(rejectedFile, {
      reader: job.reader,
      kept: earlier.rejectedBytes,
    }),
    onProgress(progress) {
      store(progress)
      line.show(progress)
    },
  }).finally(() => line.end())
  return describeResult(job, result, { earlier, keepsIds, rejectedFile })
}

async function identify({ isStdin, options, path, target, writer }: Job): Promise<ImportIdentity> {
  const {
    as,
    delimiter,
    encoding,
    format,
    header,
    ignore,
    keepApostrophes,
    listSeparator,
    map,
    set,
  } = options
  return {
    file: isStdin ? '' : await hashFile(path),
    path: target.path,
    database: writer.facts.database,
    options: hashOptions([
      [as, delimiter, encoding, format, keepApostrophes, listSeparator],
      [header, ignore, map, set],
    ]),
  }
}

function toWriterOptions({ options, target }: Job, progress: Progress): WriterOptions {
  return {
    path: target.path,
    pattern: target.pattern.replaceAll(/\{([^}]+)\}/g, ':$1'),
    type: target.type,
    startedAt: progress.startedAt,
    seed: progress.seed,
    dryRun: options.dryRun === true,
  }
}

function toRun(
  { options, plan, reader, writer }: Job,
  progress: Progress,
): Pick<ImportRun, 'maxErrors' | 'progress' | 'records' | 'toBody' | 'writer'> {
  return {
    records: reader.read(),
    toBody: createConverter(plan, {
      isText: reader.isText,
      separator: options.listSeparator ?? ',',
    }),
    writer,
    progress,
    maxErrors: options.maxErrors ?? Infinity,
  }
}

async function requireConsent(
  { context, target, total, writer }: Job,
  { done }: Progress,
): Promise<void> {
  const { database } = writer.facts
  const what = total === undefined ? 'documents' : count(total - done, 'document')
  if (!context.interactive) {
    throw new CliError('USAGE', `the documents would be created in the database ${database}`, {
      hint: 'to confirm: --yes; to check them first: --dry-run',
    })
  }
  const { askYesNo } = await import('../terminal/prompts.ts')
  const question = `Create ${what} with POST ${target.path} in the database ${database}?`
  if (!(await askYesNo(question, false))) {
    throw new CliError('CANCELLED', 'cancelled; nothing was created')
  }
}

function toRejectedPath({ context, isStdin, path, reader, target }: Job): string {
  const extension = reader.columns ? 'csv' : 'ndjson'
  if (isStdin) return join(context.cwd, `${basename(target.path)}.rejected.${extension}`)
  return join(dirname(path), `${basename(path, extname(path))}.rejected.${extension}`)
}

const shownBodies = 3

// Sends every record to the application, which checks it and creates nothing.
async function checkRecords(job: Job): Promise<Outcome> {
  const { context, options, reader, target, total, writer } = job
  const fresh = startProgress({ file: '', path: target.path, database: '', options: '' })
  await writer.open(toWriterOptions(job, fresh))
  const bodies: string[] = []
  const run = toRun(job, fresh)
  const line = createProgressLine(context, total)
  const result = await runImport({
    ...run,
    toBody(record) {
      const body = run.toBody(record)
      if (bodies.length < shownBodies) bodies.push(body)
      return body
    },
    batch: 200,
    rejected: noFile,
    onProgress: (progress) => line.show(progress),
  }).finally(() => line.end())
  const { causes, progress } = result
  return {
    exit: result.stopped === 'signal' ? 130 : progress.rejected > 0 ? 1 : 0,
    json: {
      command: 'import',
      dryRun: true,
      resource: target.path,
      file: options.file,
      database: writer.facts.database,
      columns:
        reader.columns &&
        Object.fromEntries(Array.from(job.plan.fields, ([column, { name }]) => [column, name])),
      accepted: progress.created,
      rejected: progress.rejected,
      causes: causes.list(),
      requests: bodies.map((body) => JSON.parse(body)),
    },
    lines: [
      '',
      ...bodies.map(
        (body) => `  POST ${target.path} ${body.length > 500 ? `${body.slice(0, 500)}…` : body}`,
      ),
      '',
      `  accepted   ${progress.created} of ${count(progress.done, 'line')}`,
      ...describeCauses(causes.list(), progress.rejected),
      '',
    ],
    notes: [
      {
        kind: 'note',
        message:
          'nothing was created; what the service and the database check when they create a document, such as unique fields, was not checked',
      },
    ],
  }
}

const noFile: RejectedFile = { append: () => 0, close: () => undefined }

interface Files {
  readonly earlier: Progress
  readonly keepsIds: boolean
  readonly rejectedFile: string
}

function describeResult(
  { isStdin, options, target, total, writer }: Job,
  { causes, progress, stopped }: ImportResult,
  { earlier, keepsIds, rejectedFile }: Files,
): Outcome {
  const name = basename(rejectedFile)
  const created = progress.created - earlier.created
  return {
    exit: stopped === 'signal' ? 130 : progress.rejected > 0 ? 1 : 0,
    json: {
      command: 'import',
      dryRun: false,
      resource: target.path,
      file: options.file,
      database: writer.facts.database,
      finished: progress.isFinished,
      read: progress.done,
      total,
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
      ...(progress.rejected > 0 ? [toRejectedNote(name, options.resource)] : []),
      ...(stopped === undefined ? [] : [toContinueNote(progress, isStdin)]),
      ...(keepsIds || isStdin ? [] : [idNote]),
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

function toContinueNote({ done }: Progress, isStdin: boolean): Note {
  const next = isStdin
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

function describeFinished({ options, target }: Job, progress: Progress): Outcome {
  const { created, done, rejected } = progress
  return {
    json: {
      command: 'import',
      dryRun: false,
      resource: target.path,
      file: options.file,
      finished: true,
      read: done,
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
