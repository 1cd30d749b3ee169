import { type Request, type Response } from 'express'
import { readArrivalTime } from '../fast/arrival-time.ts'
import { type InFlight } from '../http/in-flight.ts'
import { type ApiRequest } from '../route/request.ts'
import { createStage, type Stage } from '../stage/stage.ts'
import { routePattern } from '../stage/route-pattern.ts'
import { type Prometheus } from './prometheus.ts'

const methods = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])
const buckets = [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10]

// Client input never becomes a label: a path without a route is `unmatched`, an unusual method
// `other`.
export function createHttpMetrics(
  { client, registry }: Prometheus,
  inFlight: Pick<InFlight, 'count'>,
): Stage {
  const registers = [registry]
  const duration = new client.Histogram({
    name: 'http_request_duration_seconds',
    help: 'Seconds from the arrival of a request to the end of its response.',
    labelNames: ['method', 'route', 'status'],
    buckets,
    registers,
  })
  const rejected = new client.Counter({
    name: 'rate_limit_exceeded_total',
    help: 'Requests rejected by a rate limit, by policy.',
    labelNames: ['policy'],
    registers,
  })
  const deprecated = new client.Counter({
    name: 'deprecated_requests_total',
    help: 'Requests to deprecated routes, by the kind of their caller: key, user or anonymous.',
    labelNames: ['method', 'route', 'caller'],
    registers,
  })
  // Registered by its constructor; reads the value on each collection.
  void new client.Gauge({
    name: 'http_requests_in_flight',
    help: 'Requests in progress.',
    registers,
    collect() {
      this.set(inFlight.count)
    },
  })

  function measure(this: Response): void {
    const { req } = this
    const seconds = (performance.now() - readArrivalTime(req)) / 1000
    duration.observe(labelRequest(req, this), seconds)
    if (req.endpoint?.deprecation) deprecated.inc(labelCaller(req))
    if (this.statusCode === 429) rejected.inc({ policy: readPolicy(this) })
  }

  return createStage((req, res) => {
    readArrivalTime(req)
    res.on('close', measure)
  })
}

function labelRequest(
  req: Request,
  res: Response,
): { method: string; route: string; status: string } {
  return {
    method: methods.has(req.method) ? req.method : 'other',
    route: routePattern(req) ?? 'unmatched',
    // The client disconnected before the response started.
    status: res.headersSent ? String(res.statusCode) : 'aborted',
  }
}

function labelCaller(req: ApiRequest): { method: string; route: string; caller: string } {
  const caller = req.apiKey ? 'key' : req.user ? 'user' : 'anonymous'
  return { method: req.method, route: routePattern(req) ?? 'unmatched', caller }
}

// The response names the policy: RateLimit: "auth";r=0;t=42
function readPolicy(res: Response): string {
  return /^"([\w-]{1,64})"/.exec(String(res.getHeader('RateLimit')))?.[1] ?? 'other'
}
