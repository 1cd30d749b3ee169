import { type Response } from 'express'
import { setKnownHeader } from './deferred-headers.ts'

/**
 * Ends a response with a text: its length is known, so it goes out in one piece with the head.
 * @param res - the response; status and `Content-Type` are set
 * @param text - the body
 */
export function sendText(res: Response, text: string): void {
  const bytes = Buffer.byteLength(text)
  setKnownHeader(res, 'Content-Length', String(bytes))
  // One byte for each character: ASCII, the same in both encodings, and cheaper to copy in this one.
  res.end(text, bytes === text.length ? 'latin1' : 'utf8')
}
