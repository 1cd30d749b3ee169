import { type Response } from 'express'
import { setKnownHeader } from '../fast/deferred-headers.ts'

// Sends a text as the body, in one piece with the head. Status and `Content-Type` must be set.
export function sendText(res: Response, text: string): void {
  const bytes = Buffer.byteLength(text)
  setKnownHeader(res, 'Content-Length', String(bytes))
  // As many bytes as characters: ASCII, which is cheaper to copy as Latin-1.
  res.end(text, bytes === text.length ? 'latin1' : 'utf8')
}
