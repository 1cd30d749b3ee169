import { createAuth } from '@create-api/core/auth'
import { errorHandler } from '@create-api/core/pipeline'
import express, { type ErrorRequestHandler, type Express } from 'express'
import { notesRouter } from './notes.ts'

// oxlint-disable-next-line max-params -- Express knows an error handler by its four parameters
const answerAsEver: ErrorRequestHandler = (error, _req, res, _next) => {
  res.status(error.status ?? 500).json({ ok: false, message: error.message })
}

/**
 * An app that was there before, with its own parsers, routes and error format. It takes
 * authentication and one resource from the framework.
 * @param secret - 32 random bytes or more, as base64 or hex
 * @returns the app, once the indexes of authentication are built
 */
export async function createApp(secret: string): Promise<Express> {
  const app = express()
  app.use(express.json())

  app.get('/shop/ping', (_req, res) => {
    res.json({ pong: true })
  })
  app.post('/shop/orders', (req, res) => {
    if (!req.body?.item) throw Object.assign(new Error('item is missing'), { status: 418 })
    res.status(201).json({ ordered: req.body.item })
  })

  const auth = createAuth({ secrets: [secret], serviceName: 'shop' })
  await auth.init()
  app.use('/api/v1/auth', auth.router)
  app.use('/api/notes', auth.authentication(), notesRouter)

  // Problems for what came from the framework; everything else fails as it always did.
  app.use(['/api/v1/auth', '/api/notes'], errorHandler())
  app.use(answerAsEver)
  return app
}
