import { type Request, type Response } from 'express'
import { noteArrival } from '../pipeline/arrival.ts'
import { type InFlight } from '../pipeline/in-flight.ts'
import { createStage, type Stage } from '../pipeline/stage.ts'
import { routePattern } from '../routing/route-pattern.ts'
import { type Prometheus } from './prometheus.ts'

const methods = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])
const buckets = [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10]

/**
 * Measures requests. Nothing that a client makes up becomes a label: what no route serves is
 * `unmatched`, and a method that HTTP APIs do not use `other`.
 * @param prometheus - where the metrics are kept
 * @param prometheus.client - makes metrics
 * @param prometheus.registry - keeps them
 * @param inFlight - knows how many requests there are
 * @returns the stage; it stands where a request comes in
 */
export function createHttpMetrics(
  { client, registry }: Prometheus,
  inFlight: Pick<InFlight, 'count'>,
): Stage {
  const registers = [registry]
  const duration = new client.Histogram({
    name: 'http_request_duration_seconds',
    help: 'Time from the arrival of a request to the end of its answer.',
    labelNames: ['method', 'route', 'status'],
    buckets,
    registers,
  })
  const refused = new client.Counter({
    name: 'rate_limit_exceeded_total',
    help: 'Requests that a rate limit refused, by its policy.',
    labelNames: ['policy'],
    registers,
  })
  // Kept by itself: it asks whenever it is read.
  void new client.Gauge({
    name: 'http_requests_in_flight',
    help: 'Requests whose answers are not out yet.',
    registers,
    collect() {
      this.set(inFlight.count)
    },
  })

  function measure(this: Response): void {
    const { req } = this
    const seconds = (performance.now() - noteArrival(req)) / 1000
    duration.observe(toLabels(req, this), seconds)
    if (this.statusCode === 429) refused.inc({ policy: toPolicy(this) })
  }

  return createStage((req, res) => {
    noteArrival(req)
    res.on('close', measure)
  })
}

function toLabels(req: Request, res: Response): { method: string; route: string; status: string } {
  return {
    method: methods.has(req.method) ? req.method : 'other',
    route: routePattern(req) ?? 'unmatched',
    // The client was gone before there was anything to say.
    status: res.headersSent ? String(res.statusCode) : 'aborted',
  }
}

// A refusal says whose it is: RateLimit: "auth";r=0;t=42
function toPolicy(res: Response): string {
  return /^"([\w-]{1,64})"/.exec(String(res.getHeader('RateLimit')))?.[1] ?? 'other'
}
