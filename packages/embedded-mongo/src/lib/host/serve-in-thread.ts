import { Worker } from 'node:worker_threads'
import { type OnMessage, type Settings } from './options.ts'
import { serve, type ServedDatabase } from './serve-database.ts'
import { type ThreadMessage, type ThreadRequest } from './thread.ts'

// Not every supported Node version loads TypeScript in a worker: run from source, the database is served inline.
const isBuilt = !import.meta.url.endsWith('.ts')

let memoryThread: Thread | undefined

// Serves in a worker thread, so that a long scan does not block the application. A folder has a
// separate thread; the databases in memory share one, because a thread costs more than a database.
// Undefined when another process serves the folder.
export function serveInThread(settings: Settings): Promise<ServedDatabase | undefined> {
  if (!isBuilt) return serve(settings)
  if (settings.directory !== undefined) return startThread().serve(settings)
  const thread =
    memoryThread ??
    startThread(() => {
      if (memoryThread === thread) memoryThread = undefined
    })
  memoryThread = thread
  return thread.serve(settings)
}

interface Thread {
  serve(settings: Settings): Promise<ServedDatabase | undefined>
}

interface Waiting {
  resolve(message: ThreadMessage): void
  reject(error: unknown): void
}

// The thread ends with its last database.
function startThread(onEnd?: () => void): Thread {
  // Without the flags of the process: a loader or --input-type is not meant for this thread.
  const worker = new Worker(new URL('./worker.cjs', import.meta.url), { execArgv: [] })
  const databases = new Map<number, OnMessage>()
  const waiting = new Map<number, Waiting>()
  let lastId = 0
  let hasEnded = false
  // From the last response on the clients' connections keep the process alive, not this thread.
  const ask = (id: number, request: ThreadRequest): Promise<ThreadMessage> => {
    worker.ref()
    return new Promise<ThreadMessage>((resolve, reject) => {
      waiting.set(id, { resolve, reject })
      worker.postMessage(request, [])
    }).finally(() => {
      waiting.delete(id)
      if (waiting.size === 0) worker.unref()
    })
  }
  const forget = (id: number): void => {
    databases.delete(id)
    if (databases.size > 0) return
    onEnd?.()
    worker.postMessage({} satisfies ThreadRequest, [])
  }
  worker.on('error', (error: Error) => {
    hasEnded = true
    onEnd?.()
    for (const one of waiting.values()) one.reject(error)
    for (const onMessage of databases.values()) {
      onMessage(`The embedded database has stopped: ${error.message}`, 'warning')
    }
  })
  worker.on('message', (message: ThreadMessage) => {
    if (message.kind === 'log') databases.get(message.id)?.(message.text, message.level)
    else waiting.get(message.id)?.resolve(message)
  })
  return {
    async serve({ onMessage, ...settings }) {
      lastId += 1
      const id = lastId
      databases.set(id, onMessage)
      try {
        const message = await ask(id, { id, settings })
        if (message.kind === 'failed') throw new Error(message.text)
        if (message.kind === 'serving') {
          const stop = async (): Promise<void> => {
            if (hasEnded) return
            await ask(id, { id })
            forget(id)
          }
          return { uri: message.uri, stop }
        }
      } catch (error) {
        forget(id)
        throw error
      }
      forget(id)
      return undefined
    },
  }
}
