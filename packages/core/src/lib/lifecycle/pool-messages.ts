import cluster, { type Worker } from 'node:cluster'

const variable = 'CREATE_API_POOL'
const stopMessage = { type: 'create-api:stop' }

export interface Handover {
  /** Address of the embedded database that the primary process serves. */
  readonly databaseUri: string | undefined
  /** Secrets of the API, which may have been created at random. */
  readonly secrets: readonly [string, ...string[]]
}

export const isPooled = cluster.isWorker && process.env[variable] !== undefined

export function toPoolEnvironment(handover: Handover): Record<string, string> {
  return { [variable]: JSON.stringify(handover) }
}

export function readHandover(): Handover | undefined {
  const text = process.env[variable]
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- written by toPoolEnvironment of the same release
  return isPooled && text !== undefined ? (JSON.parse(text) as Handover) : undefined
}

// Not a signal, because a terminal sends its signals to all processes at once.
export function sendStop(worker: Worker): void {
  if (worker.isConnected()) worker.send(stopMessage)
}

export function onStopMessage(listener: () => void): () => void {
  if (!isPooled) return () => {}
  const onMessage = (message: unknown): void => {
    if (typeof message !== 'object' || message === null || !('type' in message)) return
    if (message.type === stopMessage.type) listener()
  }
  // SIGHUP, from a closing terminal or a supervisor, is for the primary process.
  process.on('message', onMessage).on('SIGHUP', ignore)
  return () => {
    process.off('message', onMessage).off('SIGHUP', ignore)
  }
}

function ignore(): void {}
