import { basename, dirname, extname, join, resolve } from 'node:path'
import { CliError } from '../errors/cli-error.ts'
import { withLockFile } from '../files/lock.ts'
import { type AppWriter, startAppWriter, type WriterOptions } from '../import/app-writer.ts'
import { findTarget, type Target } from '../import/find-target.ts'
import { isMappingFile, type Mapping, type MappingOptions, readMapping } from '../import/mapping.ts'
import { type FormatOptions, openReader } from '../import/open-reader.ts'
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
import { type RecordReader } from '../import/record.ts'
import { openRejectedFile, type RejectedFile } from '../import/rejected-file.ts'
import { type ImportRun, runImport } from '../import/run-import.ts'
import { hashFile, openFile, openStdin } from '../import/source.ts'
import { createConverter } from '../import/to-document.ts'
import { openProject } from '../project/open-project.ts'
import { count } from '../terminal/count.ts'
import { type CommandContext } from '../terminal/command-context.ts'
import { type Outcome } from '../terminal/reporter.ts'
import {
  describeCheck,
  describeFinished,
  describeResult,
  type ImportFacts,
} from './describe-import.ts'
import { readHeaders } from './send-request.ts'

export interface ImportOptions extends FormatOptions, MappingOptions {
  /** Name of a resource, or path of the route that creates documents. */
  readonly resource: string
  readonly encoding?: string | undefined
  /** Between the items of a list in a cell. */
  readonly listSeparator?: string | undefined
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
    onNotice: (notice) => say(context, `  ${notice}`),
  })
  try {
    const target = findTarget(options.resource, writer.facts.openapi)
    const plan = planColumns(reader.columns, target, mapping)
    for (const note of [...reader.notes, ...plan.notes]) say(context, `  note: ${note}`)
    const job: Job = {
      options,
      context,
      mapping,
      reader,
      total,
      writer,
      target,
      plan,
      path,
      isStdin,
    }
    if (options.dryRun) return await checkRecords(job)
    if (isStdin) return await importRecords(job)
    const lock = { maxWaitMs: 0, work: 'imports this file' }
    return await withLockFile(`${toStatePath(path)}.lock`, () => importRecords(job), lock)
  } finally {
    await writer.stop()
  }
}

interface Job {
  readonly options: ImportOptions
  readonly context: CommandContext
  readonly mapping: Mapping
  readonly reader: RecordReader
  /** Number of records; undefined for standard input. */
  readonly total: number | undefined
  readonly writer: AppWriter
  readonly target: Target
  readonly plan: ColumnPlan
  readonly path: string
  readonly isStdin: boolean
}

// With --json, the result is all that is printed.
function say({ flags, progress }: CommandContext, line: string): void {
  if (!flags.json) progress(line)
}

function toMappingOptions({ ignore, map, set }: MappingOptions, cwd: string): MappingOptions {
  return { ignore, set, map: map?.map((text) => (isMappingFile(text) ? resolve(cwd, text) : text)) }
}

// Reads the whole file once, so that a fault of it is found before anything is created.
async function countRecords(reader: RecordReader): Promise<number> {
  const records = reader.read()[Symbol.asyncIterator]()
  let total = 0
  while ((await records.next()).done !== true) total += 1
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
  const stateFile = job.isStdin ? undefined : toStatePath(job.path)
  const earlier = readProgress(stateFile, identity, options.restart === true)
  if (earlier.isFinished) return describeFinished(toFacts(job), earlier)
  if (!isEmbedded && !options.yes) await requireConsent(job, earlier)
  say(
    context,
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
  return describeResult(toFacts(job), result, { earlier, keepsIds, rejectedFile })
}

function toStatePath(path: string): string {
  return `${path}.import.json`
}

async function identify({
  isStdin,
  mapping,
  options,
  path,
  target,
  writer,
}: Job): Promise<ImportIdentity> {
  const { as, delimiter, encoding, format, header, keepApostrophes, listSeparator } = options
  const { columns, defaults, ignored, set } = mapping
  return {
    file: isStdin ? '' : await hashFile(path),
    path: target.path,
    database: writer.facts.database,
    options: hashOptions([
      [as, delimiter, encoding, format, header, keepApostrophes, listSeparator],
      [[...columns], [...defaults], [...ignored], [...set]],
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
  const { context, target, total, writer } = job
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
  return describeCheck(toFacts(job), result, bodies)
}

function toFacts({ options, plan, target, total, writer }: Job): ImportFacts {
  const { file, resource } = options
  const { database } = writer.facts
  const columns = Object.fromEntries(
    Array.from(plan.fields, ([column, { name }]) => [column, name]),
  )
  return { resource, file, path: target.path, database, columns, total }
}

const noFile: RejectedFile = { append: () => 0, close: () => undefined }
