import { Worker } from 'node:worker_threads'
import { type Settings } from './options.ts'
import { type ServedDatabase, serveFolder } from './serve-database.ts'
import { type ThreadMessage, type ThreadInput } from './thread.ts'

// Not every supported Node version loads TypeScript in a worker: run from source, the folder is served inline.
const isBuilt = !import.meta.url.endsWith('.ts')

// Serves a data folder in a worker thread, so that a long scan does not block the application.
export function serveInThread(
  directory: string,
  settings: Settings,
): Promise<ServedDatabase | undefined> {
  return isBuilt ? startThread(directory, settings) : serveFolder(directory, settings)
}

function startThread(directory: string, settings: Settings): Promise<ServedDatabase | undefined> {
  const { onMessage, ...plain } = settings
  const input: ThreadInput = { directory, settings: plain }
  // Without the flags of the process: a loader or --input-type is not meant for this thread.
  const worker = new Worker(new URL('./worker.cjs', import.meta.url), {
    workerData: input,
    execArgv: [],
  })
  return new Promise((resolve, reject) => {
    worker.on('error', (error) => {
      reject(error)
      onMessage(`The embedded database has stopped: ${error.message}`, 'warning')
    })
    worker.on('exit', () => resolve(undefined))
    worker.on('message', (message: ThreadMessage) => {
      if (message.kind === 'log') onMessage(message.text, message.level)
      else if (message.kind === 'failed') reject(new Error(message.text))
      else if (message.kind === 'serving') {
        // From here on the clients' connections keep the process alive, not this thread.
        worker.unref()
        resolve({ uri: message.uri, stop: () => stopThread(worker) })
      }
    })
  })
}

function stopThread(worker: Worker): Promise<void> {
  worker.ref()
  return new Promise((resolve) => {
    worker.on('exit', () => resolve())
    worker.postMessage('stop', [])
  })
}
