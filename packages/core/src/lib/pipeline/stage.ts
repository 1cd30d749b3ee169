import { type NextFunction, type Request, type RequestHandler, type Response } from 'express'

/** What a step returns when it has answered the request: the steps behind it do not run. */
export const ended = { ended: true } as const

/** The outcome of a step: go on, or stop because the answer is on its way. */
export type StepResult = void | typeof ended

/**
 * The work of a stage. It throws to refuse, returns {@link ended} when it has answered, and
 * returns a promise only when it has to wait.
 */
export type Step = (req: Request, res: Response) => StepResult | Promise<StepResult>

/** A stage of the pipeline: an Express middleware whose step can be composed without `next`. */
export interface Stage extends RequestHandler {
  readonly step: Step
}

/** What a middleware does when its step has not answered: it went through, or it threw the reason. */
export type Leave = (call: Call, reason?: unknown) => void

/** What Express calls a middleware with. */
export interface Call {
  readonly req: Request
  readonly res: Response
  readonly next: NextFunction
}

/**
 * Makes an Express middleware from a step.
 * @param step - the work of the stage
 * @param leave - goes on behind the step; calls `next` by default
 * @returns the middleware, with the step on it
 */
export function createStage(step: Step, leave: Leave = callNext): Stage {
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

function callNext({ next }: Call, reason?: unknown): void {
  next(reason)
}

/**
 * Makes a stage from any Express middleware; one that is a stage already stays as it is.
 * @param middleware - calls `next()` to go on, or answers
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

// Express takes a falsy reason for none, and would go on as if nothing had been thrown.
function toReason(thrown: unknown): unknown {
  return thrown || new Error('A falsy value was thrown.', { cause: thrown })
}

/**
 * Runs several stages as one: a loop without `next`, which waits only for promises.
 * @param stages - in the order in which a request meets them
 * @returns one stage
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
      // Behind the last step nobody waits, so its promise is that of the whole.
      if (rest === undefined) return result
      // Nobody waits for the rest when the client has gone meanwhile.
      return result.then((outcome) =>
        outcome === ended || res.destroyed ? ended : runChain(rest, req, res),
      )
    }
  }
}
