import { setTimeout as wait } from 'node:timers/promises'
import { type Connection } from 'mongoose'
import { type Logger } from '../logging/logger.ts'

type Client = ReturnType<Connection['getClient']>

/** What looks after the heartbeat of a client. */
export interface HeartbeatWatch {
  /** Ends the watch, and waits for a connection that is being made. */
  stop(): Promise<void>
}

/**
 * Connects a client again whose heartbeat has stalled. The driver never ends a check that it writes
 * to a connection while that closes, and starts no other: a server that is unknown at that moment
 * stays unknown for ever (decision 040). Nothing is done while a server is known that takes writes,
 * so that no operation is broken off that could succeed.
 * @param client - a connected client
 * @param seconds - the longest that a check can take, connecting included
 * @param logger - told when it connects again
 * @returns the watch
 */
export function watchHeartbeat(
  client: Client,
  seconds: number,
  logger: Pick<Logger, 'info' | 'warn'>,
): HeartbeatWatch {
  // For each server that is being asked: for how many ticks of a second, of which there are none
  // while the process stands still.
  const pending = new Map<string, number>()
  let isWritable = true
  let reopening: Promise<void> | undefined
  const stopping = new AbortController()
  const { signal } = stopping

  const ended = ({ connectionId: address }: { connectionId: string }): void => {
    pending.delete(address)
  }
  client
    .on('serverHeartbeatStarted', ({ connectionId: address }) => pending.set(address, 0))
    .on('serverHeartbeatSucceeded', ended)
    .on('serverHeartbeatFailed', ended)
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
    logger.warn({}, 'The heartbeat of the database has stalled: connecting again')
    do {
      pending.clear()
      await client.close()
    } while (!signal.aborted && !(await tryToConnect(client, signal)))
    if (!signal.aborted) logger.info({}, 'Connected to the database again')
  }

  return {
    async stop() {
      stopping.abort()
      clearInterval(timer)
      await reopening
    },
  }
}

// A name that cannot be resolved fails at once: the pause keeps its caller from being a busy loop.
async function tryToConnect(client: Client, signal: AbortSignal): Promise<boolean> {
  try {
    await client.connect()
    return true
  } catch {
    await wait(1000, undefined, { signal }).catch(() => {})
    return false
  }
}
