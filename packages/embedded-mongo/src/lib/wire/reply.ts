import { encode } from '../bson/encode.ts'
import { type Doc } from '../bson/document.ts'
import { HEADER_LENGTH, type Message, OP_MSG, OP_QUERY, OP_REPLY } from './message.ts'

/** What a command answers: fields, and for cursors a batch of raw documents before them. */
export interface Reply {
  fields: Doc
  cursor?: CursorBatch | undefined
}

/** A batch of a cursor; its documents are stored BSON and are not encoded again. */
export interface CursorBatch {
  name: 'firstBatch' | 'nextBatch'
  documents: Buffer[]
  /** 0 when the cursor has nothing more. */
  id: bigint
  namespace: string
  /** Further fields of the `cursor` document. */
  fields?: Doc | undefined
}

const DOCUMENT = 0x03
const ARRAY = 0x04
const LONG = 0x12
const END = Buffer.from([0])
const KEPT_PLACES = 1000

/**
 * Writes a reply as one message.
 *
 * @param request The message it answers.
 * @param reply What to answer.
 * @param time Encoded elements appended to every reply: the cluster's time.
 * @returns The bytes to send.
 */
export function encodeReply(request: Message, reply: Reply, time: Buffer): Buffer {
  const parts: Buffer[] = []
  if (reply.cursor) pushDocument(parts, element(DOCUMENT, 'cursor'), cursorElements(reply.cursor))
  parts.push(elements(reply.fields), time)
  const body = documentOf(parts)
  return request.opCode === OP_QUERY ? opReply(request, body) : opMsg(request, body)
}

function opMsg(request: Message, body: Buffer[]): Buffer {
  const head = Buffer.alloc(HEADER_LENGTH + 5)
  head.writeInt32LE(request.requestId, 8)
  head.writeInt32LE(OP_MSG, 12)
  return withLength([head, ...body])
}

function opReply(request: Message, body: Buffer[]): Buffer {
  const head = Buffer.alloc(HEADER_LENGTH + 20)
  head.writeInt32LE(request.requestId, 8)
  head.writeInt32LE(OP_REPLY, 12)
  // Flag AwaitCapable, no cursor, from 0, one document.
  head.writeInt32LE(8, HEADER_LENGTH)
  head.writeInt32LE(1, HEADER_LENGTH + 16)
  return withLength([head, ...body])
}

function withLength(parts: Buffer[]): Buffer {
  const message = Buffer.concat(parts)
  message.writeInt32LE(message.length, 0)
  return message
}

function cursorElements(cursor: CursorBatch): Buffer[] {
  const parts: Buffer[] = []
  const documents: Buffer[] = []
  for (const document of cursor.documents) {
    documents.push(placeOf(documents.length / 2), document)
  }
  pushDocument(parts, element(ARRAY, cursor.name), documents)
  const id = Buffer.alloc(8)
  id.writeBigInt64LE(cursor.id)
  parts.push(element(LONG, 'id'), id, elements({ ns: cursor.namespace, ...cursor.fields }))
  return parts
}

// The places of an array repeat from reply to reply.
const places: Buffer[] = []

function placeOf(index: number): Buffer {
  const known = places[index]
  if (known) return known
  const place = element(DOCUMENT, String(index))
  if (index < KEPT_PLACES) places[index] = place
  return place
}

function pushDocument(parts: Buffer[], name: Buffer, content: Buffer[]): void {
  parts.push(name)
  // Not one push of all: a batch may hold more parts than a call takes arguments.
  for (const part of documentOf(content)) parts.push(part)
}

function documentOf(content: Buffer[]): Buffer[] {
  const length = Buffer.alloc(4)
  length.writeInt32LE(content.reduce((sum, part) => sum + part.length, 5))
  return [length, ...content, END]
}

/**
 * The elements of a document without the length before and the zero after them.
 *
 * @param document Any document.
 * @returns Its encoded elements.
 */
export function elements(document: Doc): Buffer {
  const bytes = encode(document)
  return bytes.subarray(4, bytes.length - 1)
}

function element(type: number, name: string): Buffer {
  const bytes = Buffer.allocUnsafe(name.length + 2)
  bytes[0] = type
  bytes.write(name, 1, 'latin1')
  bytes[name.length + 1] = 0
  return bytes
}
