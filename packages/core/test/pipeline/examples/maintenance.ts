import { ApiError } from '@create-api/core'
import { createStage, ended, errorHandler, requestId, type Stage } from '@create-api/core/pipeline'
import express, { type Express } from 'express'

/** Serves `GET /version` and rejects all other requests while maintenance is on. */
export function maintenance(isOn: () => boolean): Stage {
  return createStage((req, res) => {
    if (req.method === 'GET' && req.path === '/version') {
      res.json({ version: '1.2.3' })
      return ended
    }
    if (isOn()) throw new ApiError('overloaded', { headers: { 'Retry-After': '60' } })
  })
}

export function createApp(isOn: () => boolean): Express {
  const app = express()
  app.use(requestId(), maintenance(isOn))
  app.get('/', (_req, res) => {
    res.json({ ok: true })
  })
  app.use(errorHandler())
  return app
}
