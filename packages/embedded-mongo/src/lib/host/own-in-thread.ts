import { Worker } from 'node:worker_threads'
import { type Settings } from './options.ts'
import { type Owned, serveFolder } from './own-folder.ts'
import { type FromThread, type ThreadInput } from './thread.ts'

// A worker cannot load TypeScript on every supported Node: from source the folder is served inline.
const isBuilt = !import.meta.url.endsWith('.ts')

/**
 * Serves a data folder in a thread of its own, so that a long scan does not stop the application.
 *
 * @param directory The data folder.
 * @param settings The options.
 * @returns The running database, `undefined` when another process owns the folder.
 * @throws {Error} What opening the folder throws, with its message.
 */
export function ownFolder(directory: string, settings: Settings): Promise<Owned | undefined> {
  return isBuilt ? ownInThread(directory, settings) : serveFolder(directory, settings)
}

function ownInThread(directory: string, settings: Settings): Promise<Owned | undefined> {
  const { onMessage, ...plain } = settings
  const input: ThreadInput = { directory, settings: plain }
  // Without the process' own flags: a loader or --input-type is not for this thread.
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
    worker.on('message', (message: FromThread) => {
      if (message.kind === 'says') onMessage(message.text, message.level)
      else if (message.kind === 'failed') reject(new Error(message.text))
      else if (message.kind === 'serves') {
        // From here on the clients' connections keep the process alive, not the thread.
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
