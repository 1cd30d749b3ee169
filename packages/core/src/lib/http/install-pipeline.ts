import { type Express, type Request, type Response } from 'express'
import { ApiError } from '../errors/api-error.ts'
import { type SendError } from './error-handler.ts'
import { type Left, readHostState, restoreHostState } from './host-state.ts'
import { type Call, createLayer, type Stage } from '../stage/stage.ts'
import { wrapHandle } from '../stage/wrap-handle.ts'

export interface InstallOptions {
  readonly sendError: SendError
  /** Whether errors are passed on to the app that this one is mounted in. */
  readonly passesErrors: boolean
}

// Mounts the pipeline as one layer of an app. Not-found and error handling run as the callback of the
// app's own `handle`, so they come last, whatever is mounted later. Mounted in another app, unknown
// paths are passed on to that app, without the headers of the pipeline.
export function installPipeline(app: Express, pipeline: Stage, options: InstallOptions): void {
  const { sendError, passesErrors } = options
  // Express passes a falsy error when nothing has responded.
  const finish: SendError = (error, req, res) => {
    sendError(error || new ApiError('not_found'), req, res)
  }
  // The responses that a mounted app passes on.
  const passed = new WeakMap<Response, Left>()
  // Whether another app has called this one and expects `next` for what it does not handle.
  let isMounted = false
  // Express reaches the end of its stack in a later round of the event loop. If no layer follows this
  // one, the error is sent at once.
  const leave = ({ req, res, next }: Call, reason?: unknown): void => {
    const isPassedOn = isMounted && (!reason || passesErrors)
    if (isPassedOn) passed.set(res, isLast() ? 'everything' : res.getHeaders())
    if (isLast() && !isPassedOn) finish(reason, req, res)
    else next(reason)
  }
  const layer = createLayer(pipeline.step, leave)
  // The name that a tracer shows. A tracer may also replace the handler of the layer.
  Object.defineProperty(layer, 'name', { value: 'pipeline' })
  app.use(layer)
  const { stack } = app.router
  const isLast = (): boolean => stack.at(-1)?.handle === layer

  // Called by another app.
  function handleMounted(req: Request, res: Response, work: Work, callback: Callback): void {
    isMounted = true
    const host = readHostState(req, res)
    work((error) => {
      if (error && !passesErrors) finish(error, req, res)
      else {
        restoreHostState(req, res, host, passed.get(res) ?? host.headers)
        callback(error)
      }
    })
  }

  wrapHandle(app, (handle) => (req, res, callback) => {
    const work: Work = (done) => handle(req, res, done)
    if (callback) handleMounted(req, res, work, callback)
    else work((error) => finish(error, req, res))
  })
}

type Callback = (error?: unknown) => void
type Work = (done: Callback) => void
