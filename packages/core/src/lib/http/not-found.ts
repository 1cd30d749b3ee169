import { type Request, type Response } from 'express'
import { ApiError } from '../errors/api-error.ts'
import { type SendError } from './error-handler.ts'

// The last step of an app: sends the error, or 404 when nothing has responded. Express passes a
// falsy error when there was none.
export function createFinalHandler(sendError: SendError): SendError {
  return (error: unknown, req: Request, res: Response) => {
    sendError(error || new ApiError('not_found'), req, res)
  }
}
