import { type Response } from 'express'
import { setKnownHeader } from './deferred-headers.ts'

/**
 * Ends a response with a text: its length is known, so it goes out in one piece with the head.
 * @param res - the response; status and `Content-Type` are set
 * @param text - the body
 */
export function sendText(res: Response, text: string): void {
  setKnownHeader(res, 'Content-Length', String(Buffer.byteLength(text)))
  res.end(text)
}
