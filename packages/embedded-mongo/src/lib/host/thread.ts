import { parentPort, workerData } from 'node:worker_threads'
import { assume } from '../bson/assume.ts'
import { type OnMessage, type Settings } from './options.ts'
import { serveFolder } from './own-folder.ts'

/** What a thread is started with. */
export interface ThreadInput {
  directory: string
  settings: Omit<Settings, 'onMessage'>
}

/** What a thread tells. */
export type FromThread =
  | { kind: 'serves'; uri: string }
  | { kind: 'says'; text: string; level: 'notice' | 'warning' }
  | { kind: 'failed'; text: string }

/** Serves the folder this thread was started for, until it is told to stop. */
export async function serveThread(): Promise<void> {
  const port = parentPort
  if (!port) throw new Error('This module runs in a worker thread only')
  const tell = (message: FromThread): void => port.postMessage(message)
  const { directory, settings } = assume<ThreadInput>(workerData)
  const onMessage: OnMessage = (text, level) => tell({ kind: 'says', text, level })
  try {
    const owned = await serveFolder(directory, { ...settings, onMessage })
    // Without an owner's role the thread just ends: its exit says that the folder is taken.
    if (!owned) return
    port.once('message', () => {
      owned.stop().then(
        () => port.close(),
        () => port.close(),
      )
    })
    tell({ kind: 'serves', uri: owned.uri })
  } catch (error) {
    tell({ kind: 'failed', text: error instanceof Error ? error.message : String(error) })
  }
}
