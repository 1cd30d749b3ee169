import cluster, { type Worker } from 'node:cluster'

const variable = 'CREATE_API_POOL'
const stopMessage = { type: 'create-api:stop' }

/** What the first process of a pool hands to the others. */
export interface Handover {
  /** Address of the embedded database that it serves. */
  readonly databaseUri: string | undefined
  /** What cursors are signed with. */
  readonly cursorSecret: string
}

/** Whether this process serves under a first one that looks after it. */
export const isPooled = cluster.isWorker && process.env[variable] !== undefined

/**
 * Writes a handover as the environment of a worker.
 * @param handover - what to hand over
 * @returns the variables
 */
export function toPoolEnvironment(handover: Handover): Record<string, string> {
  return { [variable]: JSON.stringify(handover) }
}

/**
 * Reads what the first process handed to this one.
 * @returns the handover, or undefined in a process that stands alone
 */
export function readHandover(): Handover | undefined {
  const text = process.env[variable]
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- written by toPoolEnvironment of the same release
  return isPooled && text !== undefined ? (JSON.parse(text) as Handover) : undefined
}

/**
 * Asks a worker to stop. Not by a signal: a terminal sends its own to all processes at once.
 * @param worker - of this process
 */
export function sendStop(worker: Worker): void {
  if (worker.isConnected()) worker.send(stopMessage)
}

/**
 * Hears when this process is asked to stop by the first one of its pool.
 * @param listener - called then
 * @returns function that no longer listens
 */
export function onStopMessage(listener: () => void): () => void {
  if (!isPooled) return () => {}
  const onMessage = (message: unknown): void => {
    if (typeof message !== 'object' || message === null || !('type' in message)) return
    if (message.type === stopMessage.type) listener()
  }
  // A terminal that closes, or a supervisor that asks for a restart, means the first process.
  process.on('message', onMessage).on('SIGHUP', ignore)
  return () => {
    process.off('message', onMessage).off('SIGHUP', ignore)
  }
}

function ignore(): void {}
