import { type Environment } from '../options/options.ts'
import { type Logger } from '../logging/logger.ts'
import { type Ending, type Lifecycle } from './start-stop.ts'
import { isPooled, onStopMessage } from './pool-messages.ts'

export interface ProcessEventOptions {
  readonly environment: Environment
  readonly logger: Pick<Logger, 'info' | 'warn' | 'error' | 'fatal'>
}

// Exits with 0, or with 1 after an error or a timeout. A second signal exits at once.
export function stopWithProcess(
  lifecycle: Pick<Lifecycle, 'stop'>,
  options: ProcessEventOptions,
): () => void {
  const { environment, logger } = options
  let isStopping = false
  let failed = false

  function onSignal(signal: NodeJS.Signals): void {
    // In a pool the primary process decides.
    if (isStopping && !isPooled) process.exit(1)
    if (!isStopping) logger.info({ signal }, 'stopping')
    stop()
  }

  function onUncaught(error: unknown): void {
    if (!failed) logger.fatal({ err: error }, 'uncaught error, shutting down')
    failed = true
    stop()
  }

  function stop(): void {
    if (isStopping) return
    isStopping = true
    lifecycle.stop().then(exit, (error: unknown) => {
      logger.error({ err: error }, 'shutdown failed')
      process.exit(1)
    })
  }

  function exit(ending: Ending): void {
    if (ending === 'forced')
      logger.warn({}, 'stopped after the shutdown timeout; open connections were closed')
    else logger.info({}, 'stopped')
    process.exit(failed || ending === 'forced' ? 1 : 0)
  }

  process.on('SIGTERM', onSignal).on('SIGINT', onSignal)
  // A test runner reports them itself and continues.
  if (environment !== 'test') process.on('uncaughtException', onUncaught)
  const removePoolListener = onStopMessage(stop)
  return () => {
    process.off('SIGTERM', onSignal).off('SIGINT', onSignal)
    process.off('uncaughtException', onUncaught)
    removePoolListener()
  }
}
