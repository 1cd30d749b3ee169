import { createHash, timingSafeEqual } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import { type Response } from 'express'
import { ApiError } from '../errors/api-error.ts'
import { type Part } from '../runtime/parts.ts'
import { createStage, ended, type Stage, type StepResult } from '../stage/stage.ts'
import { type Prometheus } from './prometheus.ts'
import { setHttpRoute } from '../logging/tracing.ts'

// Runs before the rate limit, so that monitoring works while the service is busy.
export function metricsPath(
  prometheus: Prometheus,
  { path, token }: { path: string; token: string },
): Stage {
  const isAllowed = createTokenCheck(token)
  return createStage((req, res): StepResult | Promise<StepResult> => {
    if (req.path !== path) return
    req.route = { path }
    setHttpRoute(req, path)
    if (req.method !== 'GET' && req.method !== 'HEAD') {
      throw new ApiError('method_not_allowed', { headers: { Allow: 'GET, HEAD' } })
    }
    const { authorization } = req.headers
    if (authorization === undefined) throw new ApiError('unauthenticated')
    if (!isAllowed(authorization)) throw new ApiError('invalid_token')
    return send(prometheus, res)
  })
}

async function send(prometheus: Prometheus, res: Response): Promise<StepResult> {
  const text = await prometheus.render()
  res.setHeader('Cache-Control', 'no-store')
  res.setHeader('Content-Type', prometheus.contentType)
  res.end(text)
  return ended
}

export function createMetricsServer(
  prometheus: Pick<Prometheus, 'render' | 'contentType'>,
  options: { host: string; port: number; path: string; token: string | undefined },
): Part {
  const { host, port, path, token } = options
  const isAllowed = token === undefined ? () => true : createTokenCheck(token)
  const server = createServer((req, res) => {
    if (req.url !== path || req.method !== 'GET') {
      res.writeHead(404).end()
    } else if (!isAllowed(req.headers.authorization ?? '')) {
      res.writeHead(401, { 'WWW-Authenticate': 'Bearer realm="metrics"' }).end()
    } else {
      prometheus.render().then(
        (text) => res.writeHead(200, { 'Content-Type': prometheus.contentType }).end(text),
        () => res.writeHead(500).end(),
      )
    }
  })
  return {
    start: () => listen(server, host, port),
    async stop() {
      if (!server.listening) return
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      await closed
    },
  }
}

async function listen(server: Server, host: string, port: number): Promise<void> {
  server.listen(port, host)
  try {
    await once(server, 'listening')
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause)
    throw new Error(`Metrics cannot be served on port ${port} (METRICS_PORT): ${reason}`, { cause })
  }
}

function createTokenCheck(token: string): (authorization: string) => boolean {
  const expected = digest(token)
  return (authorization) => {
    const [, given = ''] = /^bearer +([^ ]+) *$/i.exec(authorization) ?? []
    return timingSafeEqual(digest(given), expected)
  }
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}
