import { parentPort, workerData } from 'node:worker_threads'
import { errorText } from '../errors/error-text.ts'
import { type OnMessage, type Settings } from './options.ts'
import { serveFolder } from './serve-database.ts'

export interface ThreadInput {
  directory: string
  settings: Omit<Settings, 'onMessage'>
}

export type ThreadMessage =
  | { kind: 'serving'; uri: string }
  | { kind: 'log'; text: string; level: 'notice' | 'warning' }
  | { kind: 'failed'; text: string }

// Serves the folder until the main thread sends `stop`.
export async function serveThread(): Promise<void> {
  const port = parentPort
  if (!port) throw new Error('This module runs in a worker thread only')
  const post = (message: ThreadMessage): void => port.postMessage(message)
  const { directory, settings }: ThreadInput = workerData
  const onMessage: OnMessage = (text, level) => post({ kind: 'log', text, level })
  try {
    const owned = await serveFolder(directory, { ...settings, onMessage })
    // When another process owns the folder the thread exits without a message.
    if (!owned) return
    port.once('message', () => {
      owned.stop().then(
        () => port.close(),
        () => port.close(),
      )
    })
    post({ kind: 'serving', uri: owned.uri })
  } catch (error) {
    post({ kind: 'failed', text: errorText(error) })
  }
}
