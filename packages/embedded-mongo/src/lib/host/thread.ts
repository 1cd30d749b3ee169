import { parentPort } from 'node:worker_threads'
import { errorText } from '../errors/error-text.ts'
import { type OnMessage, type Settings } from './options.ts'
import { serve, type ServedDatabase } from './serve-database.ts'

// Without `settings` the database of this id stops; without an id the thread ends.
export type ThreadRequest = { id: number; settings?: ThreadSettings } | { id?: undefined }

export type ThreadSettings = Omit<Settings, 'onMessage'>

export type ThreadMessage =
  | { id: number; kind: 'serving'; uri: string }
  | { id: number; kind: 'inUse' }
  | { id: number; kind: 'stopped' }
  | { id: number; kind: 'failed'; text: string }
  | { id: number; kind: 'log'; text: string; level: 'notice' | 'warning' }

// Serves databases until the main thread ends it.
export function serveThread(): void {
  const port = parentPort
  if (!port) throw new Error('This module runs in a worker thread only')
  const post = (message: ThreadMessage): void => port.postMessage(message)
  const served = new Map<number, ServedDatabase>()
  port.on('message', ({ id, ...request }: ThreadRequest & { settings?: ThreadSettings }) => {
    if (id === undefined) {
      port.close()
      return
    }
    const { settings } = request
    const done = settings ? start(id, settings) : stop(id)
    done.then(post, (error: unknown) => post({ id, kind: 'failed', text: errorText(error) }))
  })

  async function start(id: number, settings: ThreadSettings): Promise<ThreadMessage> {
    const onMessage: OnMessage = (text, level) => post({ id, kind: 'log', text, level })
    const owned = await serve({ ...settings, onMessage })
    if (!owned) return { id, kind: 'inUse' }
    served.set(id, owned)
    return { id, kind: 'serving', uri: owned.uri }
  }

  async function stop(id: number): Promise<ThreadMessage> {
    await served.get(id)?.stop()
    served.delete(id)
    return { id, kind: 'stopped' }
  }
}
