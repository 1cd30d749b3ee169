import { setTimeout as wait } from 'node:timers/promises'
import { type Connection } from 'mongoose'
import { type Logger } from '../logging/logger.ts'

type Client = ReturnType<Connection['getClient']>

export interface HeartbeatWatch {
  /** Stops the watch, and waits for a reconnection in progress. */
  stop(): Promise<void>
}

// Works around a bug of the driver: a check written to a connection that is closing never ends, and no
// other check starts, so a server that is unknown at that moment stays unknown forever (decision 040).
// While a writable server is known nothing is done, so that no operation is aborted that could succeed.
export function watchHeartbeat(
  client: Client,
  seconds: number,
  logger: Pick<Logger, 'info' | 'warn'>,
): HeartbeatWatch {
  // Age of the pending check of each server, in ticks of one second. A blocked process does not tick.
  const pending = new Map<string, number>()
  let isWritable = true
  let reopening: Promise<void> | undefined
  const stopping = new AbortController()
  const { signal } = stopping

  const onCheckEnd = ({ connectionId: address }: { connectionId: string }): void => {
    pending.delete(address)
  }
  client
    .on('serverHeartbeatStarted', ({ connectionId: address }) => pending.set(address, 0))
    .on('serverHeartbeatSucceeded', onCheckEnd)
    .on('serverHeartbeatFailed', onCheckEnd)
    .on('serverClosed', ({ address }) => pending.delete(address))
    .on('topologyDescriptionChanged', ({ newDescription: { servers } }) => {
      isWritable = [...servers.values()].some((server) => server.isWritable)
    })

  const timer = setInterval(() => {
    if (reopening) return
    for (const [address, age] of pending) pending.set(address, age + 1)
    const isStalled = [...pending.values()].some((age) => age > seconds)
    if (isStalled && !isWritable) reopening = reopen().finally(() => (reopening = undefined))
  }, 1000).unref()

  async function reopen(): Promise<void> {
    logger.warn({}, 'database heartbeat stalled, reconnecting')
    do {
      pending.clear()
      await client.close()
    } while (!signal.aborted && !(await tryToConnect(client, signal)))
    if (!signal.aborted) logger.info({}, 'reconnected to the database')
  }

  return {
    async stop() {
      stopping.abort()
      clearInterval(timer)
      await reopening
    },
  }
}

// A name that cannot be resolved fails at once: the pause prevents a busy loop.
async function tryToConnect(client: Client, signal: AbortSignal): Promise<boolean> {
  try {
    await client.connect()
    return true
  } catch {
    await wait(1000, undefined, { signal }).catch(() => {})
    return false
  }
}
