import { type JobsContext } from '@create-api/core/internal/jobs'
import { type JobRecord } from '../queue/job-record.ts'

type Logger = JobsContext['logger']

interface Ended {
  readonly outcome: 'done' | 'retry' | 'dead' | 'returned' | 'lost'
  readonly error?: unknown
}

/** What a worker logs and measures about attempts. */
export interface WorkerLog {
  ended(record: JobRecord, attempt: Ended): void
  failedAfterCompletion(record: JobRecord, error: unknown): void
  readonly cannotWork: (error: unknown) => void
}

export function createWorkerLog(
  logger: Logger,
  measure: (record: JobRecord, outcome: string) => void,
): WorkerLog {
  return {
    ended(record, { error, outcome }) {
      measure(record, outcome)
      const fields = toFields(record)
      if (outcome === 'done') logger.debug(fields, 'job done')
      else if (outcome === 'retry') {
        logger.warn({ ...fields, err: error }, 'job failed, it will be retried')
      } else if (outcome === 'dead') logger.error({ ...fields, err: error }, 'job failed')
      else if (outcome === 'returned') logger.info(fields, 'job returned to the queue')
      else logger.warn({ ...fields, err: error }, 'job lost: another process may run it')
    },
    failedAfterCompletion(record, error) {
      logger.warn({ ...toFields(record), err: error }, 'job failed after it was completed')
      measure(record, 'done')
    },
    cannotWork(error) {
      logger.warn({ err: error }, 'the queue cannot be read, trying again')
    },
  }
}

function toFields({ _id, attempt, name, requestId }: JobRecord): Record<string, unknown> {
  return { job: name, jobId: _id, attempt, ...(requestId !== undefined && { requestId }) }
}
