import { parse as parseContentType } from 'content-type'
import { type Request, type Response } from 'express'
import { type Readable } from 'node:stream'
import { type ZodType } from 'zod'
import { ApiError } from '../errors/api-error.ts'
import { createSizeError, createMediaTypeError } from '../errors/body-errors.ts'
import { hasBody } from '../stage/request-body.ts'
import { toTextDecoder } from '../schemas/decoder.ts'
import { parseInput } from '../schemas/parse-input.ts'
import { createStage, type Stage } from '../stage/stage.ts'
import { type MultipartPlan, unsafeNames } from './multipart.ts'
import { malformed, parsePartHead, type PartHead, type PartHeaders } from './part-head.ts'
import { readField, readFile, rejectPart } from './read-part.ts'
import { type ReadOptions, readParts } from './read-parts.ts'
import { createTemporaryFiles, type TemporaryFiles } from './temporary-files.ts'

const mediaType = 'multipart/form-data'

// The parts that have arrived, by name. The objects have no prototype, because names come from the client.
type Values = Record<string, unknown>

interface Upload {
  readonly req: Request
  readonly plan: MultipartPlan
  readonly temporary: TemporaryFiles
  readonly values: Values
  readonly counts: Map<string, number>
  /** Undo what the sinks of the application have stored. */
  readonly discards: (() => unknown)[]
  isRejected: boolean
}

// Reads and validates the body of a route with `multipart`: the files go to their sinks while the body
// arrives. Sets `req.body` and `req.valid.body`.
export function upload(body: ZodType, plan: MultipartPlan): Stage {
  const decode = toTextDecoder(body)
  return createStage(async (req, res) => {
    const boundary = requireBoundary(req)
    if (Number(req.headers['content-length'] ?? 0) > plan.maxSize)
      throw createSizeError(plan.maxSize)
    const state = createUpload(req, res, plan)
    try {
      // A body without any is that of a form without entries: what is required is missing.
      if (boundary !== undefined) await receive(state, boundary)
      req.body = state.values
      req.valid.body = parseInput(body, decode ? decode(state.values) : state.values)
    } catch (error) {
      state.isRejected = true
      for (const discard of state.discards) await run(discard)
      throw error
    }
  })
}

function requireBoundary(req: Request): string | undefined {
  const { 'content-type': contentType, 'content-encoding': encoding = 'identity' } = req.headers
  if (contentType === undefined && !hasBody(req)) return undefined
  const { type, parameters } = parseContentType(contentType ?? '')
  if (type !== mediaType) throw createMediaTypeError(req, [mediaType])
  if (encoding.toLowerCase() !== 'identity') {
    const headers = { 'Accept-Encoding': 'identity' }
    throw new ApiError('unsupported_media_type', {
      detail: 'The body must not be compressed.',
      headers,
    })
  }
  const { boundary = '' } = parameters
  // RFC 2046 section 5.1.1.
  if (!/^[\w'()+,\-./:=? ]{0,69}[\w'()+,\-./:=?]$/.test(boundary)) {
    throw malformed('Content-Type must have a boundary of 1 to 70 characters (RFC 2046).')
  }
  if (req.readableDidRead) throw new Error(alreadyRead)
  return boundary
}

const alreadyRead =
  'The body of a route with multipart() was read by other middleware. Do not mount a parser of multipart bodies before it.'

function createUpload(req: Request, res: Response, plan: MultipartPlan): Upload {
  const temporary = createTemporaryFiles(plan.directory)
  res.once('close', () => void run(() => temporary.remove()))
  const values: Values = Object.create(null)
  return { req, plan, temporary, values, counts: new Map(), discards: [], isRejected: false }
}

// Runs work whose failure must not change the response.
async function run(work: () => unknown): Promise<void> {
  try {
    await work()
  } catch (error) {
    process.emitWarning(`An uploaded file could not be removed: ${String(error)}`)
  }
}

async function receive(state: Upload, boundary: string): Promise<void> {
  const { plan, req, values } = state
  const { maxParts, maxSize } = plan
  const readPart: ReadOptions['readPart'] = (headers, content) =>
    receivePart(state, headers, content)
  await readParts(req, { boundary, maxParts, maxSize, readPart })
  for (const [name, { isList }] of plan.files) {
    if (isList) values[name] = toList(values, name).filter((file) => file !== undefined)
  }
}

// Its items are in the order of arrival, although a later part may be complete before an earlier one.
function toList(values: Values, name: string): unknown[] {
  const list = values[name]
  if (Array.isArray(list)) return list
  return (values[name] = [])
}

async function receivePart(state: Upload, headers: PartHeaders, content: Readable): Promise<void> {
  const head = parsePartHead(headers)
  if (head.filename === undefined) await receiveField(state, head, content)
  else await receiveFile(state, head, content)
}

async function receiveField(state: Upload, head: PartHead, content: Readable): Promise<void> {
  const { plan, values } = state
  const { name } = head
  if (unsafeNames.has(name)) throw rejectPart(name, 'unrecognized_key', 'is not allowed')
  if (plan.files.has(name)) throw rejectPart(name, 'invalid_type', 'must be a file')
  if (plan.lists.has(name)) {
    const list = toList(values, name)
    const index = list.push('') - 1
    list[index] = await readField(head, content, plan.maxFieldSize)
    return
  }
  if (Object.hasOwn(values, name)) throw rejectPart(name, 'repeated', 'is repeated')
  values[name] = ''
  values[name] = await readField(head, content, plan.maxFieldSize)
}

async function receiveFile(state: Upload, head: PartHead, content: Readable): Promise<void> {
  const { counts, plan, values } = state
  const { name } = head
  const filePlan = plan.files.get(name)
  if (!filePlan) {
    throw plan.fields.has(name)
      ? rejectPart(name, 'invalid_type', 'must be text, not a file')
      : rejectPart(name, 'unrecognized_key', 'is not allowed')
  }
  const count = (counts.get(name) ?? 0) + 1
  counts.set(name, count)
  if (count > filePlan.maxCount) {
    const files = filePlan.maxCount === 1 ? 'file' : 'files'
    throw rejectPart(name, 'too_big', `must have at most ${filePlan.maxCount} ${files}`)
  }
  const list = filePlan.isList ? toList(values, name) : undefined
  list?.push(undefined)
  const received = await readFile(head, content, { ...state, plan: filePlan })
  if (!received) return
  if (list) list[count - 1] = received.file
  else values[name] = received.file
  if (!received.discard) return
  if (state.isRejected) await run(received.discard)
  else state.discards.push(received.discard)
}
