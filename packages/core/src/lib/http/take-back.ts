import { type OutgoingHttpHeaders } from 'node:http'
import { type Request, type Response } from 'express'
import { getDefaultCaching, setDefaultCaching, settleHeaders } from '../fast/deferred-headers.ts'

export interface TakeBack {
  /** Notes what the host has set, before the pipeline runs. */
  noteBefore(req: Request, res: Response): void
  /** Notes what the pipeline has set, before later middleware runs. */
  noteAfter(res: Response): void
  /** Undoes what the pipeline has set. What later middleware has set stays. */
  run(req: Request, res: Response): void
}

interface Notes {
  readonly id: string
  readonly caching: string | undefined
  readonly before: OutgoingHttpHeaders
  after: OutgoingHttpHeaders
}

// For requests that a mounted app passes on: the host's response has the headers of the host only.
export function createTakeBack(): TakeBack {
  const notes = new WeakMap<Response, Notes>()
  return {
    noteBefore(req, res) {
      const before = { ...res.getHeaders() }
      notes.set(res, { id: req.id, caching: getDefaultCaching(res), before, after: before })
    },
    noteAfter(res) {
      const note = notes.get(res)
      if (note) note.after = { ...res.getHeaders() }
    },
    run(req, res) {
      const note = notes.get(res)
      // The methods of the host's responses do not know of deferred headers.
      settleHeaders(res)
      if (!note || res.headersSent) return
      if (note.id) req.id = note.id
      setDefaultCaching(res, note.caching)
      restore(res, note)
    },
  }
}

function restore(res: Response, { before, after }: Notes): void {
  for (const [name, value] of Object.entries(after)) {
    const original = before[name]
    if (isSame(original, value) || !isSame(res.getHeader(name), value)) continue
    if (original === undefined) res.removeHeader(name)
    else res.setHeader(name, original)
  }
}

function isSame(one: unknown, other: unknown): boolean {
  return String(one) === String(other)
}
