import { Failure, toClientFailure } from './failure.ts'
import { type Fetch } from './fetch.ts'
import { readRetryAfter, toBackoff, wait } from './wait.ts'

/** Time limit and retries of requests. */
export interface RetryOptions {
  /**
   * Milliseconds after which an attempt fails.
   * @default 30_000
   */
  readonly timeout?: number
  /**
   * Further attempts: after a network error or 503 for requests that can be repeated (GET, HEAD, PUT and DELETE without `If-Match`,
   * and those with an `Idempotency-Key`), and after 429 for all.
   * @default 3
   */
  readonly retries?: number
}

const longestRetryAfter = 60_000

// Sends requests with a time limit and further attempts.
export function createRetryFetch(
  send: Fetch,
  { retries = 3, timeout = 30_000 }: RetryOptions = {},
): Fetch {
  return async (input, init) => {
    const request = new Request(input, init)
    for (let attempt = 0; ; attempt += 1) {
      const outcome = await sendOnce(send, request.clone(), timeout)
      const pause = attempt < retries ? toPause(request, outcome, attempt) : undefined
      if (pause === undefined) return unwrap(outcome)
      if (outcome instanceof Response) await outcome.body?.cancel()
      await wait(pause, request.signal).catch((cause: unknown) => {
        throw toClientFailure('aborted', cause)
      })
    }
  }
}

export function unwrap(outcome: Response | Failure): Response {
  if (outcome instanceof Failure) throw outcome
  return outcome
}

// Undefined where another attempt would be wrong, or in vain.
function toPause(
  request: Request,
  outcome: Response | Failure,
  attempt: number,
): number | undefined {
  if (outcome instanceof Failure)
    return outcome.code !== 'aborted' && canRepeat(request) ? toBackoff(attempt) : undefined
  const { status } = outcome
  if (status !== 429 && !(status === 503 && canRepeat(request))) return undefined
  const pause = readRetryAfter(outcome) ?? toBackoff(attempt)
  return pause > longestRetryAfter ? undefined : pause
}

// After a lost response, the repetition of a change with If-Match would find the version that the change itself has made.
function canRepeat({ headers, method }: Request): boolean {
  const isSafe = !headers.has('if-match') && /^(GET|HEAD|PUT|DELETE)$/.test(method)
  return isSafe || headers.has('idempotency-key')
}

// Sends a request once; whatever prevents a response is returned as a failure.
export async function sendOnce(
  send: Fetch,
  request: Request,
  timeout: number,
): Promise<Response | Failure> {
  const controller = new AbortController()
  const { signal } = request
  let late = false
  const abort = (): void => controller.abort(signal.reason)
  const timer = setTimeout(() => {
    late = true
    abort()
  }, timeout)
  signal.addEventListener('abort', abort)
  if (signal.aborted) abort()
  try {
    return await send(new Request(request, { signal: controller.signal }))
  } catch (cause) {
    if (cause instanceof Failure) return cause
    return toClientFailure(signal.aborted ? 'aborted' : late ? 'timed_out' : 'network_error', cause)
  } finally {
    clearTimeout(timer)
    signal.removeEventListener('abort', abort)
  }
}
