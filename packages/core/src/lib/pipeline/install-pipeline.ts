import { type Express, type Response } from 'express'
import { ApiError } from '../errors/api-error.ts'
import { settleHeaders } from './deferred-headers.ts'
import { loosen } from './loosen.ts'
import { type SendError } from './send-error.ts'
import { type Call, createStage, type Stage } from './stage.ts'
import { wrapHandle } from './wrap-handle.ts'

/**
 * Makes the pipeline one layer of an app. Not found and errors are what the app calls when its
 * stack is at the end, so they come behind everything, whatever is mounted later. Inside another
 * app, an unknown path is that app's.
 * @param app - the Express app
 * @param pipeline - the stage
 * @param sendError - answers whatever was thrown
 */
export function installPipeline(app: Express, pipeline: Stage, sendError: SendError): void {
  // Whether another app has ever called this one, and waits for what it leaves.
  let isPart = false
  // Express gets to the end of its stack in another turn of the event loop. Where nothing stands
  // behind the layer, it can be answered in this one.
  const leave = ({ req, res, next }: Call, reason?: unknown): void => {
    if (isLast() && !isPart) sendError(reason ?? new ApiError('not_found'), req, res)
    else next(reason)
  }
  const layer = createStage(pipeline.step, leave)
  // What a tracer calls the layer; it may also put a handler of its own in its place.
  Object.defineProperty(layer, 'name', { value: 'pipeline' })
  app.use(layer)
  const { stack } = app.router
  const isLast = (): boolean => stack.at(-1)?.handle === layer
  wrapHandle(app, (handle) => (req, res, callback) => {
    if (callback) isPart = true
    if (Object.getPrototypeOf(req) !== app.request) loosen(req, res)
    handle(req, res, (error) => {
      if (error) sendError(error, req, res)
      else if (callback) passOn(res, callback)
      else sendError(new ApiError('not_found'), req, res)
    })
  })
}

function passOn(res: Response, callback: () => void): void {
  // The other app's responses do not know of deferred headers.
  settleHeaders(res)
  callback()
}
