import { type Logger } from '../logging/logger.ts'
import { type Ending, type Lifecycle } from './lifecycle.ts'
import { isPooled, onStopMessage } from './pool-messages.ts'

/** What {@link endWithProcess} needs to know. */
export interface ProcessEventOptions {
  /** Whether uncaught errors end the process. */
  readonly endsOnError: boolean
  /** Hears why the process ends. */
  readonly logger: Pick<Logger, 'info' | 'warn' | 'error' | 'fatal'>
}

/**
 * Ends the process when it is told to, or when an error was caught by nobody: requests in flight
 * are answered first. It exits with 0, or with 1 after an error or when time was up. A second
 * signal ends it at once.
 * @param lifecycle - what is stopped
 * @param options - what ends it
 * @returns function that no longer listens
 */
export function endWithProcess(
  lifecycle: Pick<Lifecycle, 'stop'>,
  options: ProcessEventOptions,
): () => void {
  const { endsOnError, logger } = options
  let isEnding = false
  let failed = false

  function onSignal(signal: NodeJS.Signals): void {
    // Whoever asks twice does not want to wait; in a pool, it is the first process that is asked.
    if (isEnding && !isPooled) process.exit(1)
    if (!isEnding) logger.info({ signal }, 'stopping')
    end()
  }

  function onUncaught(error: unknown): void {
    if (!failed) logger.fatal({ err: error }, 'an error was caught by nobody: stopping')
    failed = true
    end()
  }

  function end(): void {
    if (isEnding) return
    isEnding = true
    lifecycle.stop().then(exit, (error: unknown) => {
      logger.error({ err: error }, 'stopping failed')
      process.exit(1)
    })
  }

  function exit(ending: Ending): void {
    if (ending === 'forced') logger.warn({}, 'stopped: time was up, open requests were cut')
    else logger.info({}, 'stopped')
    process.exit(failed || ending === 'forced' ? 1 : 0)
  }

  process.on('SIGTERM', onSignal).on('SIGINT', onSignal)
  if (endsOnError) process.on('uncaughtException', onUncaught)
  const forgetPool = onStopMessage(end)
  return () => {
    process.off('SIGTERM', onSignal).off('SIGINT', onSignal)
    process.off('uncaughtException', onUncaught)
    forgetPool()
  }
}
