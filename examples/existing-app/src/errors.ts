import { type ApiError } from '@create-api/core'
import { type FormattedError } from '@create-api/core/pipeline'
import { type ErrorRequestHandler } from 'express'
import { z } from 'zod'

/**
 * An error as the shop always threw them.
 * @param status - status of the response
 * @param message - text for the client
 * @returns the error
 */
export function refuse(status: number, message: string): Error {
  return Object.assign(new Error(message), { status })
}

/** The shop's body of an error. */
export const shopError = z.object({
  ok: z.literal(false),
  message: z.string(),
  fields: z.array(z.string()).optional(),
})

/** Sends the errors of the routes that have not moved. */
// oxlint-disable-next-line max-params -- Express knows an error handler by its four parameters
export const sendShopError: ErrorRequestHandler = (error, _req, res, _next) => {
  const status = error.status ?? 500
  const message = status < 500 ? error.message : 'something went wrong'
  res.status(status).json({ ok: false, message })
}

/**
 * The same body for the errors of the routes that have moved.
 * @param error - what a route of the API threw
 * @returns body and media type
 */
export function toShopError(error: ApiError): FormattedError {
  const fields = error.errors?.map(({ pointer }) => pointer.slice(2))
  return {
    contentType: 'application/json; charset=utf-8',
    body: { ok: false, message: error.detail ?? error.title, ...(fields && { fields }) },
  }
}
