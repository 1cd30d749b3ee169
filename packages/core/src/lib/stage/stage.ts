import { type NextFunction, type Request, type RequestHandler, type Response } from 'express'

/** Returned by a step that has ended the response: later steps do not run. */
export const ended = { ended: true } as const

/** The result of a step: nothing to continue, or {@link ended}. */
export type StepResult = void | typeof ended

/**
 * The work of a stage. It throws to reject the request, returns {@link ended} when it has ended the
 * response, and returns nothing to continue. It returns a promise only if it has to wait.
 */
export type Step = (req: Request, res: Response) => StepResult | Promise<StepResult>

/** A stage of the pipeline: an Express middleware whose step can be composed without `next`. */
export interface Stage extends RequestHandler {
  /** The work of the stage. */
  readonly step: Step
}

// Called when a step has not ended the response: it passed, or it threw the reason.
type Leave = (call: Call, reason?: unknown) => void

// The arguments of an Express middleware.
export interface Call {
  readonly req: Request
  readonly res: Response
  readonly next: NextFunction
}

/**
 * Creates an Express middleware from a step.
 * @param step - the work of the stage
 * @returns the middleware; `createApi` and `composeStages` run its step without `next`
 * @example
 * ```ts
 * const maintenance = createStage((_req, res) => {
 *   res.status(503).end()
 *   return ended
 * })
 * ```
 */
export function createStage(step: Step): Stage {
  return createLayer(step, ({ next }, reason) => next(reason))
}

export function createLayer(step: Step, leave: Leave): Stage {
  const middleware = (req: Request, res: Response, next: NextFunction): void => {
    let result: ReturnType<Step>
    try {
      result = step(req, res)
    } catch (error) {
      leave({ req, res, next }, toReason(error))
      return
    }
    if (result instanceof Promise) void forward(result, { req, res, next }, leave)
    else if (result !== ended) leave({ req, res, next })
  }
  return Object.assign(middleware, { step })
}

/**
 * Turns any Express middleware into a stage; returns a stage unchanged.
 * @param middleware - calls `next()` to continue, or ends the response
 * @returns the stage
 */
export function toStage(middleware: RequestHandler | Stage): Stage {
  if ('step' in middleware) return middleware
  return createStage(
    (req, res) =>
      new Promise<void>((resolve, reject) => {
        const next = (error?: unknown): void => (error ? reject(error) : resolve())
        Promise.resolve(middleware(req, res, next)).catch(reject)
      }),
  )
}

async function forward(pending: Promise<StepResult>, call: Call, leave: Leave): Promise<void> {
  let result: StepResult
  try {
    result = await pending
  } catch (error) {
    leave(call, toReason(error))
    return
  }
  if (result !== ended) leave(call)
}

// Express treats a falsy reason as none and would continue with the next layer.
function toReason(thrown: unknown): unknown {
  return thrown || new Error('A falsy value was thrown.', { cause: thrown })
}

/**
 * Runs several stages as one: a loop without `next`, which waits only for promises.
 * @param stages - in the order in which they run
 * @returns one stage
 * @example
 * ```ts
 * app.use(composeStages([requestId(), accessLog(), rateLimit({ limit: 100 })]))
 * ```
 */
export function composeStages(stages: readonly Stage[]): Stage {
  const chain = stages.reduceRight<Chain | undefined>(
    (rest, { step }) => ({ step, rest }),
    undefined,
  )
  return createStage((req, res) => runChain(chain, req, res))
}

interface Chain {
  readonly step: Step
  readonly rest: Chain | undefined
}

function runChain(chain: Chain | undefined, req: Request, res: Response): ReturnType<Step> {
  for (let link = chain; link !== undefined; link = link.rest) {
    const result = link.step(req, res)
    if (result === ended) return ended
    if (result instanceof Promise) {
      const { rest } = link
      // The promise of the last step is that of the whole chain.
      if (rest === undefined) return result
      // If the client disconnected meanwhile, the remaining steps are skipped.
      return result.then((outcome) =>
        outcome === ended || res.destroyed ? ended : runChain(rest, req, res),
      )
    }
  }
}
