import { isUtf8 } from 'node:buffer'
import { type Request } from 'express'
import { type Readable, Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { ApiError } from '../errors/api-error.ts'
import { type ErrorCode } from '../errors/catalogue.ts'
import { createValidationError } from '../errors/to-error-items.ts'
import { toPointer } from '../errors/to-pointer.ts'
import { hasSignature, signatureBytes } from './file-signature.ts'
import {
  type FileInfo,
  type FilePlan,
  type StoredFile,
  type TemporaryFile,
  type UploadTarget,
} from './multipart.ts'
import { type PartHead } from './part-head.ts'
import { type TemporaryFiles } from './temporary-files.ts'

/** The result of a file part, and the function that discards it. */
export interface ReceivedFile {
  readonly file: TemporaryFile | StoredFile<unknown>
  readonly discard: (() => unknown) | undefined
}

interface Content extends AsyncIterable<Buffer> {
  /** Number of bytes so far. */
  readonly size: number
}

// Reads a text field: UTF-8 only.
export async function readField(head: PartHead, part: Readable, maxSize: number): Promise<string> {
  const { charset, name } = head
  if (charset !== 'utf-8' && charset !== 'us-ascii') {
    const detail = `The charset of '${name}' must be UTF-8.`
    throw new ApiError('unsupported_media_type', { detail })
  }
  const chunks: Buffer[] = []
  for await (const chunk of limit(part, name, maxSize)) chunks.push(chunk)
  const bytes = Buffer.concat(chunks)
  if (isUtf8(bytes)) return bytes.toString()
  throw new ApiError('invalid_encoding', { detail: `The field '${name}' is not valid UTF-8.` })
}

export interface FileContext {
  readonly req: Request
  readonly plan: FilePlan
  readonly temporary: TemporaryFiles
}

// Writes a file to its sink. Undefined if the client has sent an empty file input.
export async function readFile(
  head: PartHead,
  part: Readable,
  { plan, req, temporary }: FileContext,
): Promise<ReceivedFile | undefined> {
  const { filename = '', name: field, type = 'application/octet-stream' } = head
  const content = limit(part, field, plan.maxSize)
  const chunks = content[Symbol.asyncIterator]()
  const start = await readHead(chunks)
  if (filename === '' && start.length === 0) return undefined
  const info = { field, filename: filename || 'file', type }
  requireType(info, plan)
  if (plan.checkContent && !hasSignature(start, type)) {
    throw rejectPart(field, 'invalid_format', `does not have the content of ${type}`)
  }
  const target = await openTarget(info, plan, { req, temporary })
  await pipeline(prepend(start, chunks), target.stream)
  const result = await target.result
  const { size } = content
  const file = 'path' in target ? { ...info, size, path: target.path } : { ...info, size, result }
  return { file, discard: target.discard }
}

// An error with one item, for the field or file of that name.
export function rejectPart(
  name: string,
  code: string,
  detail: string,
  error?: ErrorCode,
): ApiError {
  const errors = [{ in: 'body', pointer: toPointer([name]), code, detail } as const]
  return createValidationError(errors, error && { code: error })
}

function limit(part: Readable, name: string, maxSize: number): Content {
  let size = 0
  return {
    get size() {
      return size
    },
    async *[Symbol.asyncIterator]() {
      for await (const chunk of part as AsyncIterable<Buffer>) {
        size += chunk.length
        if (size > maxSize) {
          const detail = `must have at most ${maxSize} bytes`
          throw rejectPart(name, 'too_big', detail, 'payload_too_large')
        }
        yield chunk
      }
    },
  }
}

// Reads as many bytes as a signature has, if there are so many.
async function readHead(chunks: AsyncIterator<Buffer>): Promise<Buffer> {
  let head = Buffer.alloc(0)
  while (head.length < signatureBytes) {
    const { done, value } = await chunks.next()
    if (done) break
    head = Buffer.concat([head, value])
  }
  return head
}

async function* prepend(head: Buffer, rest: AsyncIterator<Buffer>): AsyncIterable<Buffer> {
  yield head
  yield* { [Symbol.asyncIterator]: () => rest }
}

function requireType({ field, type }: FileInfo, { types }: FilePlan): void {
  const group = type.replace(/\/.*/, '/*')
  if (!types || types.includes(type) || types.includes(group)) return
  throw rejectPart(field, 'invalid_value', `must be ${types.join(' or ')}`)
}

type Target = UploadTarget<unknown> | (UploadTarget<unknown> & { readonly path: string })

async function openTarget(
  info: FileInfo,
  { sink }: FilePlan,
  { req, temporary }: Omit<FileContext, 'plan'>,
): Promise<Target> {
  if (!sink) return temporary.create()
  const target = await sink(info, req)
  if (target instanceof Writable) return { stream: target }
  // Awaited only after the stream; until then its rejection would be unhandled.
  target.result?.catch(() => {})
  return target
}
