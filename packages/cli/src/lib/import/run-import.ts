import { CliError } from '../errors/cli-error.ts'
import { onStopSignal } from '../terminal/on-stop-signal.ts'
import { type AppWriter, type Entry, type Written } from './app-writer.ts'
import { Causes, describeProblem } from './causes.ts'
import { type Progress } from './progress-file.ts'
import { type SourceRecord } from './record.ts'
import { type Rejected, type RejectedFile } from './rejected-file.ts'

export interface ImportRun {
  readonly records: AsyncIterable<SourceRecord>
  readonly toBody: (record: SourceRecord) => string
  readonly writer: AppWriter
  /** Records that are sent at most before the progress is stored. */
  readonly batch: number
  /** Records of an interrupted run, which are not read again. */
  readonly progress: Progress
  readonly rejected: RejectedFile
  /** Rejected records after which the import stops. */
  readonly maxErrors: number
  readonly onProgress: (progress: Progress) => void
}

export interface ImportResult {
  readonly progress: Progress
  readonly causes: Causes
  /** Why it stopped before the end of the file. */
  readonly stopped: 'signal' | 'errors' | undefined
}

// Sends the records in batches, one after the other. A batch is rejected, counted and stored before the next is sent, so that an
// interrupted run leaves at most one whose requests may have succeeded.
export async function runImport(run: ImportRun): Promise<ImportResult> {
  const causes = new Causes()
  let { progress } = run
  let isStopped = false
  const restore = onStopSignal(() => {
    isStopped = true
  })
  try {
    for await (const batch of toBatches(run)) {
      progress = await sendBatch(batch, { run, causes, progress })
      run.onProgress(progress)
      if (isStopped) return { progress, causes, stopped: 'signal' }
      if (progress.rejected > run.maxErrors) return { progress, causes, stopped: 'errors' }
    }
  } finally {
    restore()
    run.rejected.close()
  }
  progress = { ...progress, isFinished: true }
  run.onProgress(progress)
  return { progress, causes, stopped: undefined }
}

interface Prepared {
  readonly record: SourceRecord
  /** Undefined if the record has a fault. */
  readonly body: string | undefined
}

// Of all bodies of a batch.
const maxBatchLength = 4 * 1024 * 1024

// Where a batch ends follows from the file alone, so that a later run sends the same one.
async function* toBatches({
  batch: size,
  progress,
  records,
  toBody,
}: ImportRun): AsyncGenerator<readonly Prepared[]> {
  let skipped = 0
  let batch: Prepared[] = []
  let length = 0
  for await (const record of records) {
    if (skipped < progress.done) {
      skipped += 1
      continue
    }
    const body = record.fault === undefined ? toBody(record) : undefined
    batch.push({ record, body })
    length += body?.length ?? 0
    if (batch.length < size && length < maxBatchLength) continue
    yield batch
    batch = []
    length = 0
  }
  if (batch.length > 0) yield batch
}

interface Sending {
  readonly run: ImportRun
  readonly causes: Causes
  readonly progress: Progress
}

async function sendBatch(
  batch: readonly Prepared[],
  { causes, progress, run }: Sending,
): Promise<Progress> {
  const entries = batch.flatMap(({ body }, index): readonly Entry[] =>
    body === undefined ? [] : [[progress.done + index, body]],
  )
  const isUncertain = progress.done === run.progress.done
  const written = entries.length === 0 ? [] : await run.writer.write(entries, isUncertain)
  const records = batch.map(({ record }) => record)
  const rejected = listRejected(records, written, progress.done)
  for (const { reason, record } of rejected) causes.add(reason, record.line)
  return {
    ...progress,
    done: progress.done + batch.length,
    created: progress.created + batch.length - rejected.length,
    rejected: progress.rejected + rejected.length,
    rejectedBytes: run.rejected.append(rejected),
  }
}

function listRejected(
  batch: readonly SourceRecord[],
  written: readonly Written[],
  first: number,
): readonly Rejected[] {
  const results = new Map(written.map((one) => [one.number, one]))
  return batch.flatMap((record, index) => {
    if (record.fault !== undefined) return [{ record, reason: record.fault }]
    const result = results.get(first + index)
    if (!result) throw new CliError('UNEXPECTED', `there is no response for line ${record.line}`)
    return result.problem ? [{ record, reason: describeProblem(result.problem) }] : []
  })
}
