import { type Job } from '../job/define-job.ts'
import {
  type Claim,
  claimAll,
  claimFirst,
  type ClaimOptions,
  findNext,
} from '../queue/claim-jobs.ts'
import { type DatabaseClock } from '../queue/database-clock.ts'
import { type Store } from '../queue/store.ts'
import { type AttemptParts, runAttempt } from './run-attempt.ts'

export interface RunnerParts extends AttemptParts {
  readonly owner: string
  readonly clock: DatabaseClock
  readonly pollMs: number
  readonly isPaused: (name: string) => boolean
}

// So many jobs are taken by one command.
const maxBatch = 100

/** Takes the jobs of one name and runs as many at the same time as the job allows. */
export interface Runner {
  /** Looks for jobs now. */
  wake(): void
  /** Takes no more jobs. */
  drain(): void
  /** Resolves when no job runs. */
  idle(): Promise<void>
}

export function createRunner(job: Job, parts: RunnerParts): Runner {
  const { isPaused, log, pollMs, store } = parts
  const running = new Set<Promise<unknown>>()
  let timer: NodeJS.Timeout | undefined
  let looking: Promise<void> | undefined
  let isWoken = false
  let isDraining = false

  const options = { ...parts, name: job.name }

  function room(): number {
    if (isDraining || isPaused(job.name)) return 0
    return Math.min(job.settings.concurrency - running.size, maxBatch)
  }

  function run(claim: Claim): void {
    const attempt = runAttempt(job, claim, parts)
      .catch(log.cannotWork)
      .finally(() => {
        running.delete(attempt)
        wake()
      })
    running.add(attempt)
  }

  async function look(): Promise<void> {
    do {
      isWoken = false
      const delay = await takeDue(store, options, { room, run })
      if (delay !== undefined) schedule(delay)
    } while (isWoken)
  }

  function schedule(delay: number): void {
    clearTimeout(timer)
    if (!isDraining) timer = setTimeout(wake, Math.min(delay, pollMs))
  }

  function wake(): void {
    isWoken = true
    if (looking || isDraining) return
    looking = look()
      .catch((error: unknown) => {
        log.cannotWork(error)
        isWoken = false
        schedule(pollMs)
      })
      .finally(() => {
        looking = undefined
        if (isWoken) wake()
      })
  }

  return {
    wake,
    drain() {
      isDraining = true
      clearTimeout(timer)
    },
    async idle() {
      await looking
      while (running.size > 0) await Promise.all(running)
    },
  }
}

interface Place {
  /** How many jobs may be started now. */
  readonly room: () => number
  readonly run: (claim: Claim) => void
}

// Runs the jobs that are due while there is room. Returns the milliseconds until the next one is due; undefined if there is no
// room.
async function takeDue(
  store: Store,
  options: ClaimOptions,
  { room, run }: Place,
): Promise<number | undefined> {
  if (room() === 0) return undefined
  // One command for the job that wakes an idle worker, three for all that wait behind it.
  const first = await claimFirst(store, options)
  if (first) run(first)
  while (room() > 0) {
    const { delay, due } = await findNext(store, options, room())
    if (due.length === 0) return delay
    for (const claim of await claimAll(store, due, options)) run(claim)
  }
  return undefined
}
