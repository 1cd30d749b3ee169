import { type WorkerLog } from './worker-log.ts'

/** Repeats work: when it is woken, and after the time that the work returns. */
export interface Loop {
  wake(): void
  drain(): void
  idle(): Promise<void>
}

export interface LoopParts {
  /** Time after a failure, in milliseconds. */
  readonly pollMs: number
  readonly log: Pick<WorkerLog, 'cannotWork'>
}

export function createLoop(work: () => Promise<number>, { log, pollMs }: LoopParts): Loop {
  let timer: NodeJS.Timeout | undefined
  let current: Promise<void> | undefined
  let isWoken = false
  let isDraining = false

  async function run(): Promise<void> {
    let pause = pollMs
    do {
      isWoken = false
      try {
        pause = await work()
      } catch (error) {
        log.cannotWork(error)
      }
    } while (isWoken)
    clearTimeout(timer)
    if (!isDraining) timer = setTimeout(wake, Math.min(pause, pollMs))
  }

  function wake(): void {
    if (isDraining) return
    isWoken = true
    if (current) return
    current = run().finally(() => {
      current = undefined
      if (isWoken) wake()
    })
  }

  return {
    wake,
    drain() {
      isDraining = true
      isWoken = false
      clearTimeout(timer)
    },
    async idle() {
      await current
    },
  }
}
