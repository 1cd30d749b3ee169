import { type Job } from '../job/define-job.ts'
import { type Claim, claimJob, findDelay } from '../queue/claim-job.ts'
import { type DatabaseClock } from '../queue/database-clock.ts'
import { type AttemptParts, runAttempt } from './run-attempt.ts'

export interface RunnerParts extends AttemptParts {
  readonly owner: string
  readonly clock: DatabaseClock
  readonly pollMs: number
  readonly isPaused: (name: string) => boolean
}

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
  const { clock, isPaused, log, pollMs, store } = parts
  const running = new Set<Promise<unknown>>()
  let timer: NodeJS.Timeout | undefined
  let looking: Promise<void> | undefined
  let isWoken = false
  let isDraining = false

  function hasRoom(): boolean {
    return !isDraining && running.size < job.settings.concurrency && !isPaused(job.name)
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
      while (hasRoom()) {
        const claim = await claimJob(store, { ...parts, name: job.name })
        if (claim) run(claim)
        else if (schedule(await findDelay(store, job.name, clock)) > 0) break
      }
    } while (isWoken)
  }

  function schedule(delay = pollMs): number {
    clearTimeout(timer)
    if (!isDraining) timer = setTimeout(wake, Math.min(delay, pollMs))
    return delay
  }

  function wake(): void {
    isWoken = true
    if (looking || isDraining) return
    looking = look()
      .catch((error: unknown) => {
        log.cannotWork(error)
        isWoken = false
        schedule()
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
