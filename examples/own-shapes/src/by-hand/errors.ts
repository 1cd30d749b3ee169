import { type ErrorRequestHandler, type RequestHandler } from 'express'
import { mongo } from 'mongoose'
import { z } from 'zod'

type Messages = Record<string, string[]>

export class HttpError extends Error {
  readonly status: number
  readonly errors: Messages

  constructor(status: number, errors: Messages) {
    super(Object.values(errors).flat().join(', '))
    this.status = status
    this.errors = errors
  }
}

export const notFound: RequestHandler = (_req, res) => {
  res.status(404).json({ errors: { body: ['not found'] } })
}

// oxlint-disable-next-line max-params -- Express knows an error handler by its four parameters
export const errorHandler: ErrorRequestHandler = (error, _req, res, next) => {
  if (res.headersSent) {
    next(error)
    return
  }
  const { status, errors } = toProblem(error)
  // oxlint-disable-next-line no-console -- there is no logger
  if (status === 500) console.error(error)
  if (status === 401) res.set('WWW-Authenticate', 'Token')
  res.status(status).json({ errors })
}

function toProblem(error: unknown): { status: number; errors: Messages } {
  if (error instanceof HttpError) return error
  if (error instanceof z.ZodError) return { status: 422, errors: toMessages(error) }
  if (error instanceof mongo.MongoServerError && error.code === 11_000) {
    const [field = 'body'] = Object.keys(error['keyPattern'] ?? {})
    return { status: 409, errors: { [field]: ['has already been taken'] } }
  }
  // What Express and body-parser throw.
  const status = error instanceof Error && 'status' in error ? Number(error.status) : 500
  if (status < 500) return { status, errors: { body: [String(error)] } }
  return { status: 500, errors: { body: ['internal error'] } }
}

function toMessages({ issues }: z.ZodError): Messages {
  const messages: Messages = {}
  for (const { path, message } of issues) {
    const name = String(path.at(-1) ?? 'body')
    messages[name] = [...(messages[name] ?? []), message]
  }
  return messages
}
