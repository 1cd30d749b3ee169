import {
  bodyParser,
  composeStages,
  createInFlight,
  createMongoStore,
  createRedisStore,
  errorHandler,
  overload,
  rateLimit,
  type RateLimitOptions,
  requestId,
} from '@create-api/core/pipeline'
import express, { type Express } from 'express'
import { type Connection } from 'mongoose'

/** Where requests are counted: a Redis client's `sendCommand`, or a connection to MongoDB. */
export type Counter = { sendCommand(command: string[]): Promise<unknown> } | Connection

export function createShop(
  counter: Counter,
  limits: RateLimitOptions = { limit: 100, window: '60s' },
): Express {
  const inFlight = createInFlight()
  const store =
    'sendCommand' in counter
      ? createRedisStore({ sendCommand: (command) => counter.sendCommand(command) })
      : createMongoStore({ connection: counter })
  const stages = composeStages([
    requestId(),
    inFlight.stage,
    overload({ inFlight, maxConcurrentRequests: 500 }),
    rateLimit({ name: 'shop', ...limits, store }),
  ])

  const app = express()
  app.use(stages)
  app.post('/orders', bodyParser({ limit: '10kb' }), (req, res) => {
    res.status(201).json(req.body)
  })
  app.use(errorHandler())
  return app
}
