import type * as Busboy from '@fastify/busboy'
import { type Request } from 'express'
import { type Readable } from 'node:stream'
import { ApiError } from '../errors/api-error.ts'
import { createIncompleteError, createSizeError } from '../errors/body-errors.ts'
import { noteProgress } from '../stage/request-body.ts'
import { loadOptional } from '../runtime/optional-package.ts'
import { malformed, maxHeaderBytes, maxHeaderFields, type PartHeaders } from './part-head.ts'

export interface ReadOptions {
  readonly boundary: string
  /** Maximum size of the body in bytes. */
  readonly maxSize: number
  readonly maxParts: number
  /** Reads one part; what it throws ends the reading. */
  readonly readPart: (headers: PartHeaders, content: Readable) => void | Promise<void>
}

// The part of busboy that splits a body and parses the header fields of each part. What the fields mean is
// decided here: busboy itself skips in silence what it does not understand.
export function loadDicer(): typeof Busboy.Dicer {
  const name = '@fastify/busboy'
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the type that the package declares
  const busboy = loadOptional(name, 'multipart() needs', [name]) as typeof Busboy
  return busboy.Dicer
}

type Fail = (error: unknown) => void

// Splits a body into its parts while it arrives. Rejects at the first fault: the parts that are being read
// are destroyed then, and the rest of the body is not read.
export function readParts(req: Request, options: ReadOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    const parser = createParser(options.boundary)
    const parts = createParts(options, fail)
    let bytes = 0
    // The body has been split, and the request has ended: text may follow the last boundary.
    let isSplit = false
    let isRead = false

    function fail(error: unknown): void {
      removeListeners()
      req.unpipe(parser)
      parts.destroy(error)
      reject(error)
    }

    function onData(chunk: Buffer): void {
      noteProgress(req)
      bytes += chunk.length
      if (bytes > options.maxSize) fail(createSizeError(options.maxSize))
    }

    function onFinish(): void {
      isSplit = true
      // For the rest of the request, which the pipe does not read: its listener comes before this one.
      req.resume()
      if (isRead) parts.complete().then(onDone, fail)
    }

    function onEnd(): void {
      isRead = true
      if (isSplit) parts.complete().then(onDone, fail)
    }

    function onDone(): void {
      removeListeners()
      resolve()
    }

    function onClose(): void {
      if (!req.complete) fail(createIncompleteError())
    }

    function removeListeners(): void {
      req.off('data', onData).off('end', onEnd).off('error', onClose).off('close', onClose)
      parser.off('part', parts.add).off('finish', onFinish)
    }

    // All that it reports is a body that ends before its last boundary. The listener is never removed: a
    // second error without one would end the process.
    parser.on('error', () => fail(malformed('The body ends before its last boundary.')))
    req.pipe(parser)
    parser.on('part', parts.add).on('finish', onFinish)
    req.on('data', onData).on('end', onEnd).on('error', onClose).on('close', onClose)
  })
}

interface Parts {
  readonly add: (part: Readable) => void
  /** Resolves when every part has been read. */
  complete(): Promise<void>
  destroy(error: unknown): void
}

function createParts({ maxParts, readPart }: ReadOptions, fail: Fail): Parts {
  const open = new Set<Readable>()
  const pending: Promise<void>[] = []
  let count = 0

  async function read(headers: PartHeaders, part: Readable): Promise<void> {
    try {
      await readPart(headers, part)
    } catch (error) {
      fail(error)
    }
  }

  return {
    add(part) {
      // The parser reports it as well.
      part.on('error', () => {})
      if (++count > maxParts) {
        const detail = `At most ${maxParts} parts are allowed.`
        fail(new ApiError('payload_too_large', { detail }))
        return
      }
      open.add(part)
      part.once('close', () => open.delete(part))
      part.once('header', (headers: PartHeaders) => pending.push(read(headers, part)))
    },
    async complete() {
      // A part that ends before its header fields has no `header` event.
      if (pending.length < count) throw malformed('A part ends within its header fields.')
      await Promise.all(pending)
    },
    destroy(error) {
      for (const part of open) part.destroy(error instanceof Error ? error : undefined)
    },
  }
}

// The header fields of a part are cut off above these limits, so they are twice what is allowed.
function createParser(boundary: string): Busboy.Dicer {
  const Dicer = loadDicer()
  const limits = { maxHeaderSize: 2 * maxHeaderBytes, maxHeaderPairs: 2 * maxHeaderFields }
  return new Dicer({ boundary, ...limits })
}
