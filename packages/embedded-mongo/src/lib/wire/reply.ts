import { encode } from '../bson/codec.ts'
import { type Doc } from '../bson/document.ts'
import { headerLength, type Message, messageOpCode, queryOpCode, replyOpCode } from './message.ts'

export interface Reply {
  fields: Doc
  cursor?: CursorBatch | undefined
}

// The documents are stored BSON and are not encoded again.
export interface CursorBatch {
  name: 'firstBatch' | 'nextBatch'
  documents: Buffer[]
  // 0 when the cursor is exhausted.
  id: bigint
  namespace: string
  // Further fields of `cursor`.
  fields?: Doc | undefined
}

const documentType = 0x03
const array = 0x04
const long = 0x12
const end = Buffer.from([0])
const cachedPositions = 1000

export function encodeReply(request: Message, reply: Reply, time: Buffer): Buffer {
  const parts: Buffer[] = []
  if (reply.cursor)
    pushDocument(parts, element(documentType, 'cursor'), cursorElements(reply.cursor))
  parts.push(elements(reply.fields), time)
  const body = documentOf(parts)
  return request.opCode === queryOpCode ? opReply(request, body) : opMsg(request, body)
}

function opMsg(request: Message, body: Buffer[]): Buffer {
  const head = Buffer.alloc(headerLength + 5)
  head.writeInt32LE(request.requestId, 8)
  head.writeInt32LE(messageOpCode, 12)
  return withLength([head, ...body])
}

function opReply(request: Message, body: Buffer[]): Buffer {
  const head = Buffer.alloc(headerLength + 20)
  head.writeInt32LE(request.requestId, 8)
  head.writeInt32LE(replyOpCode, 12)
  // Flag AwaitCapable, no cursor, from 0, one document.
  head.writeInt32LE(8, headerLength)
  head.writeInt32LE(1, headerLength + 16)
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
    documents.push(positionElement(documents.length / 2), document)
  }
  pushDocument(parts, element(array, cursor.name), documents)
  const id = Buffer.alloc(8)
  id.writeBigInt64LE(cursor.id)
  parts.push(element(long, 'id'), id, elements({ ns: cursor.namespace, ...cursor.fields }))
  return parts
}

// Array positions are the same in every reply.
const positionElements: Buffer[] = []

function positionElement(index: number): Buffer {
  const known = positionElements[index]
  if (known) return known
  const position = element(documentType, String(index))
  if (index < cachedPositions) positionElements[index] = position
  return position
}

function pushDocument(parts: Buffer[], name: Buffer, content: Buffer[]): void {
  parts.push(name)
  // No spread into one push: a batch may have more parts than a call accepts arguments.
  for (const part of documentOf(content)) parts.push(part)
}

function documentOf(content: Buffer[]): Buffer[] {
  const length = Buffer.alloc(4)
  length.writeInt32LE(content.reduce((sum, part) => sum + part.length, 5))
  return [length, ...content, end]
}

// The elements of a document without the length before and the zero byte after them.
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
