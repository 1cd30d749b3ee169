import { type Request, type Response } from 'express'
import { ApiError } from '../errors/api-error.ts'
import { within } from '../runtime/within.ts'
import { setHttpRoute } from '../logging/tracing.ts'
import { setKnownHeader } from '../fast/deferred-headers.ts'
import { sendText } from '../response/send-text.ts'
import { createStage, ended, type Stage, type StepResult } from '../stage/stage.ts'

/** Result of a check. */
export type HealthStatus = 'pass' | 'warn' | 'fail'

/** A check of something that the service needs, such as its database. */
export interface HealthCheck {
  /**
   * Type of the component: `datastore`, `component` or `system`.
   * @default 'component'
   */
  componentType?: string | undefined
  /**
   * Runs the check; an error or a timeout counts as `fail`. The error is not reported.
   * @returns the status
   */
  check(): HealthStatus | Promise<HealthStatus>
}

/** Options for {@link health}. */
export interface HealthOptions {
  /**
   * Checks by name: `'mongodb:connection'`. If one fails, the service is not ready.
   * @default {}
   */
  checks?: Readonly<Record<string, HealthCheck>> | undefined
  /**
   * Whether the service is shutting down; then it is not ready.
   * @default () => false
   */
  isDraining?: (() => boolean) | undefined
  /**
   * Maximum duration of a check in milliseconds.
   * @default 500
   */
  timeoutMs?: number | undefined
  /**
   * Milliseconds for which the result of a check is cached.
   * @default 250
   */
  cacheMs?: number | undefined
}

interface CheckResult {
  readonly status: HealthStatus
  readonly componentType: string
  readonly time: string
}

interface Report {
  readonly status: HealthStatus
  readonly checks: Readonly<Record<string, readonly [CheckResult]>>
}

const mediaType = 'application/health+json'
const allow = 'GET, HEAD, OPTIONS'

/**
 * Serves `GET /health/live` (the process runs), `GET /health/ready` (it can serve requests) and
 * `GET /` (a summary of readiness) as `application/health+json`: 200, or 503 when not ready. They need
 * no token and come before the rate limit.
 * @param options - checks and times
 * @returns the stage
 */
export function health(options: HealthOptions = {}): Stage {
  const { checks = {}, isDraining = () => false, timeoutMs = 500, cacheMs = 250 } = options
  const inspect = createInspector(checks, { timeoutMs, cacheMs })

  return createStage((req, res): StepResult | Promise<StepResult> => {
    const { path } = req
    if (path !== '/' && path !== '/health/live' && path !== '/health/ready') return
    req.route = { path }
    setHttpRoute(req, path)
    if (req.method === 'OPTIONS') {
      res.status(204).setHeader('Allow', allow)
      res.end()
      return ended
    }
    if (req.method !== 'GET' && req.method !== 'HEAD') {
      throw new ApiError('method_not_allowed', { headers: { Allow: allow } })
    }
    if (path === '/health/live') return send(res, { status: 'pass' })
    if (isDraining()) return send(res, { status: 'fail' })
    const report = inspect()
    if (report instanceof Promise) return report.then((late) => sendReport(req, res, late))
    return sendReport(req, res, report)
  })
}

function sendReport(req: Request, res: Response, report: Report): StepResult {
  return send(res, req.path === '/' ? { status: report.status } : report)
}

function send(res: Response, body: Pick<Report, 'status'>): StepResult {
  res.statusCode = body.status === 'fail' ? 503 : 200
  setKnownHeader(res, 'Cache-Control', 'no-store')
  setKnownHeader(res, 'Content-Type', mediaType)
  if (body.status === 'fail') setKnownHeader(res, 'Retry-After', '5')
  sendText(res, JSON.stringify(body))
  return ended
}

// Requests share the result of the checks, so frequent requests do not load the database.
function createInspector(
  checks: Readonly<Record<string, HealthCheck>>,
  { timeoutMs, cacheMs }: { timeoutMs: number; cacheMs: number },
): () => Report | Promise<Report> {
  const entries = Object.entries(checks)
  let running: Promise<Report> | undefined
  let latest: Report | undefined
  let validUntil = 0

  async function inspect(): Promise<Report> {
    const results = await Promise.all(
      entries.map(async ([name, check]) => [name, [await runCheck(check, timeoutMs)]] as const),
    )
    latest = { status: worst(results), checks: Object.fromEntries(results) }
    validUntil = performance.now() + cacheMs
    running = undefined
    return latest
  }

  return () => {
    if (running === undefined && latest !== undefined && performance.now() < validUntil) {
      return latest
    }
    return (running ??= inspect())
  }
}

function worst(results: readonly (readonly [string, readonly [CheckResult]])[]): HealthStatus {
  const states = results.map(([, [{ status }]]) => status)
  return states.includes('fail') ? 'fail' : states.includes('warn') ? 'warn' : 'pass'
}

async function runCheck(check: HealthCheck, timeoutMs: number): Promise<CheckResult> {
  const status = await within<HealthStatus, HealthStatus>(timeoutMs, statusOf(check), () => 'fail')
  return {
    status,
    componentType: check.componentType ?? 'component',
    time: new Date().toISOString(),
  }
}

async function statusOf(check: HealthCheck): Promise<HealthStatus> {
  try {
    return await check.check()
  } catch {
    return 'fail'
  }
}
