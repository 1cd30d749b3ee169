import { type Express, type Response } from 'express'
import { settleHeaders } from '../fast/deferred-headers.ts'
import { loosen } from '../fast/loosen.ts'
import { type SendError } from './error-handler.ts'
import { createFinalHandler } from './not-found.ts'
import { type Call, createLayer, type Stage } from '../kernel/stage.ts'
import { wrapHandle } from '../kernel/wrap-handle.ts'

// Mounts the pipeline as one layer of an app. Not-found and error handling run as the callback of the
// app's own `handle`, so they come last, whatever is mounted later. Mounted in another app, unknown
// paths are passed on to that app.
export function installPipeline(
  app: Express,
  pipeline: Stage,
  sendError: SendError,
  fast: boolean,
): void {
  const finish = createFinalHandler(sendError)
  // Whether another app has called this one and expects `next` for what it does not handle.
  let isMounted = false
  // Express reaches the end of its stack in a later round of the event loop. If no layer follows this
  // one, the error is sent at once.
  const leave = ({ req, res, next }: Call, reason?: unknown): void => {
    if (isLast() && !isMounted) finish(reason, req, res)
    else next(reason)
  }
  const layer = createLayer(pipeline.step, leave)
  // The name that a tracer shows. A tracer may also replace the handler of the layer.
  Object.defineProperty(layer, 'name', { value: 'pipeline' })
  app.use(layer)
  const { stack } = app.router
  const isLast = (): boolean => stack.at(-1)?.handle === layer
  wrapHandle(app, (handle) => (req, res, callback) => {
    if (callback) isMounted = true
    if (fast && Object.getPrototypeOf(req) !== app.request) loosen(req, res)
    handle(req, res, (error) => {
      if (callback && !error) passOn(res, callback)
      else finish(error, req, res)
    })
  })
}

function passOn(res: Response, callback: () => void): void {
  // The methods of the other app's responses do not know of deferred headers.
  settleHeaders(res)
  callback()
}
