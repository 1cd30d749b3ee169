import { type Response } from 'express'

/** The state that the streams of an API share. */
export interface StreamScope {
  /** Aborted when the service shuts down. */
  readonly stopping: AbortSignal
  /** Called when a response becomes a stream that may stay open for hours. */
  readonly release: (res: Response) => void
}

const open = new WeakMap<AbortSignal, Set<() => void>>()

// Notes a stream that ends when the service shuts down; returns the function that removes the note. One
// listener serves all streams of a service.
export function noteOpenStream(res: Response, close: () => void): () => void {
  const scope = res.req.endpoint?.streams
  if (!scope) return () => {}
  const { stopping } = scope
  scope.release(res)
  const streams = open.get(stopping) ?? listen(stopping)
  streams.add(close)
  // Not at once: the caller is yet to listen to its signal.
  if (stopping.aborted) queueMicrotask(close)
  return () => void streams.delete(close)
}

function listen(stopping: AbortSignal): Set<() => void> {
  const streams = new Set<() => void>()
  open.set(stopping, streams)
  stopping.addEventListener('abort', () => {
    for (const close of streams) close()
  })
  return streams
}
