import { parsePath } from './body-paths.ts'
import { type Difference, ResponseComparer } from './compare-responses.ts'
import { toTokens } from './generated-values.ts'
import { LiveValues } from './live-values.ts'
import { type RecordedLine } from './read-recording.ts'
import { type Exchange, type RecordedResponse } from './recording.ts'
import { createSender, type Sender } from './send-recorded.ts'

export interface ReplayOptions {
  readonly target: URL
  /** Second service, which is compared with the first one instead of the recording. */
  readonly against: URL | undefined
  /** Names of the response headers that are compared. */
  readonly headers: readonly string[]
  readonly ignore: readonly string[]
  /** Milliseconds for a response. */
  readonly timeout: number
  /** Values of the placeholders. */
  readonly env: Readonly<Record<string, string | undefined>>
}

export interface RouteResult {
  /** Such as `GET /posts/:id`. */
  readonly route: string
  same: number
  different: number
  failed: number
  /** The first difference, or why the first request failed. */
  first?: (Partial<Difference> & { readonly line: number; readonly failure?: string }) | undefined
}

export interface ReplayResult {
  readonly routes: readonly RouteResult[]
  /** Lines that were not sent, by the reason. */
  readonly skipped: Readonly<Record<string, number>>
}

interface Side {
  readonly sender: Sender
  readonly values: LiveValues
}

// Sends the requests one after the other, as their responses were complete when they were recorded.
export async function replay(
  lines: AsyncIterable<RecordedLine>,
  options: ReplayOptions,
): Promise<ReplayResult> {
  const sides = createSides(options)
  const comparer = new ResponseComparer(options.headers, options.ignore.map(parsePath))
  const routes = new Map<string, RouteResult>()
  const skipped: Record<string, number> = {}
  for await (const { exchange, line } of lines) {
    const reason = findReason(exchange)
    if (reason !== undefined || !exchange.response) {
      const key = reason ?? 'incomplete'
      skipped[key] = (skipped[key] ?? 0) + 1
      continue
    }
    const route = toRoute(exchange)
    const result = routes.get(route) ?? { route, same: 0, different: 0, failed: 0 }
    routes.set(route, result)
    const first = await attempt(() => replayOne(exchange, { comparer, sides }))
    result[toOutcome(first)] += 1
    if (first) result.first ??= { line, ...first }
  }
  for (const { sender } of sides) sender.close()
  return { routes: [...routes.values()], skipped }
}

type Found = Difference | { readonly failure: string } | undefined

function toOutcome(found: Found): 'same' | 'different' | 'failed' {
  if (found === undefined) return 'same'
  return 'failure' in found ? 'failed' : 'different'
}

function createSides({ against, env, target, timeout }: ReplayOptions): readonly Side[] {
  const urls = [target, ...(against ? [against] : [])]
  return urls.map((url) => ({ sender: createSender(url, timeout), values: new LiveValues(env) }))
}

async function attempt(work: () => Promise<Difference | undefined>): Promise<Found> {
  try {
    return await work()
  } catch (error) {
    return { failure: describeFailure(error) }
  }
}

async function replayOne(
  { request, response: recorded }: Exchange,
  { comparer, sides }: { readonly comparer: ResponseComparer; readonly sides: readonly Side[] },
): Promise<Difference | undefined> {
  if (!recorded) return undefined
  const responses: RecordedResponse[] = []
  for (const { sender, values } of sides) {
    const response = await sender.send(values.apply(request))
    values.learn(recorded, response, request.path)
    responses.push(response)
  }
  const [first = recorded, second] = responses
  const [left, right] = second ? [first, second] : [recorded, first]
  return comparer.compare({ recorded, left, right })
}

function describeFailure(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  // Of several addresses, each has an error.
  const code = 'code' in error && typeof error.code === 'string' ? error.code : ''
  return error.name === 'AbortError'
    ? 'there was no complete response in time'
    : error.message || code
}

// Why a request cannot be repeated.
export function findReason({ failure, request, response }: Exchange): string | undefined {
  if (failure !== undefined) return 'incomplete'
  if (request.body && 'omitted' in request.body) return 'body not recorded'
  const body = response?.body
  return body && 'omitted' in body && body.omitted === 'event stream' ? body.omitted : undefined
}

function toRoute({ request }: Exchange): string {
  const segments = request.path.replace(/[?#].*$/, '').split('/')
  const names = segments.map((segment) =>
    /^\d+$/.test(segment) || toTokens(segment).some(({ kind }) => kind !== 'text')
      ? ':id'
      : segment,
  )
  return `${request.method} ${names.join('/')}`
}
