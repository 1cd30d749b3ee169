import { type Ending, type Lifecycle, type Started, type StartOptions } from './lifecycle.ts'

/** How something is opened and closed. */
export interface StartStopSteps {
  open(options: StartOptions): Promise<Started>
  /**
   * Closes it.
   * @param opened - waits for the start, which may be under way or have failed
   */
  close(opened: () => Promise<Started | undefined>): Promise<Ending>
}

/**
 * Makes start and stop safe to call more than once, and in any order.
 * @param steps - how it is opened and closed
 * @returns state, start and stop
 */
export function createStartStop(steps: StartStopSteps): Lifecycle {
  let starting: Promise<Started> | undefined
  let stopping: Promise<Ending> | undefined
  let started: Started | undefined

  async function start(options: StartOptions): Promise<Started> {
    started = await steps.open(options)
    return started
  }

  async function opened(): Promise<Started | undefined> {
    await starting?.catch(() => {})
    return started
  }

  return {
    get started() {
      return started
    },
    get draining() {
      return stopping !== undefined
    },
    start(options = {}) {
      if (stopping) throw new Error('The API has been stopped; make a new one to start again.')
      return (starting ??= start(options))
    },
    stop() {
      return (stopping ??= steps.close(opened))
    },
  }
}
