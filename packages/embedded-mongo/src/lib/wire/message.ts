import { decode } from '../bson/codec.ts'
import { type Doc } from '../bson/document.ts'
import { CommandError } from '../errors/command-error.ts'

export const messageOpCode = 2013
// The opcode of the first handshake; its reply is an OP_REPLY.
export const queryOpCode = 2004
export const replyOpCode = 1

// Length, request id, response to, opcode.
export const headerLength = 16

const checksumPresent = 1
const moreToCome = 2
// Bits 0 to 15 must be understood by the receiver; the others may be ignored.
const requiredBits = 0xffff

export interface Message {
  requestId: number
  opCode: number
  body: Doc
  // Why the body cannot be read; `body` is empty then.
  unreadable: CommandError | undefined
  // Document sequences by name, as raw BSON.
  sequences: Map<string, Buffer[]>
  // The client expects no reply.
  moreToCome: boolean
}

export function parseMessage(bytes: Buffer): Message {
  const requestId = bytes.readInt32LE(4)
  const opCode = bytes.readInt32LE(12)
  if (opCode === queryOpCode) return parseQuery(bytes, requestId)
  if (opCode !== messageOpCode) throw new RangeError(`Opcode ${opCode} is not spoken here`)
  const flags = bytes.readUInt32LE(headerLength)
  if (flags & requiredBits & ~(checksumPresent | moreToCome)) {
    throw new RangeError(`OP_MSG flags ${flags} are not known`)
  }
  const end = bytes.length - (flags & checksumPresent ? 4 : 0)
  const sections = parseSections(bytes, end)
  return { requestId, opCode, ...sections, moreToCome: (flags & moreToCome) !== 0 }
}

function parseSections(bytes: Buffer, end: number): Sections {
  const sequences: Message['sequences'] = new Map()
  let body: Body | undefined
  let offset = headerLength + 4
  while (offset < end) {
    const kind = bytes[offset]
    const size = bytes.readInt32LE(offset + 1)
    const section = bytes.subarray(offset + 1, offset + 1 + size)
    if (section.length !== size || size < 5) throw new RangeError('A section ends too early')
    if (kind === 0 && !body) body = readBody(section)
    else if (kind === 1) sequences.set(...parseSequence(section))
    else throw new RangeError(`Section kind ${kind} is not expected here`)
    offset += 1 + size
  }
  if (!body) throw new RangeError('The message has no body')
  return { ...body, sequences }
}

type Body = Pick<Message, 'body' | 'unreadable'>
type Sections = Body & Pick<Message, 'sequences'>

function readBody(section: Buffer): Body {
  try {
    return { body: decode(section), unreadable: undefined }
  } catch (error) {
    if (error instanceof CommandError) return { body: {}, unreadable: error }
    throw error
  }
}

function parseSequence(section: Buffer): [name: string, documents: Buffer[]] {
  const nameEnd = section.indexOf(0, 4)
  const documents: Buffer[] = []
  let offset = nameEnd + 1
  while (offset < section.length) {
    const size = section.readInt32LE(offset)
    if (size < 5 || offset + size > section.length) {
      throw new RangeError('A document of a sequence ends too early')
    }
    documents.push(section.subarray(offset, offset + size))
    offset += size
  }
  return [section.toString('utf8', 4, nameEnd), documents]
}

function parseQuery(bytes: Buffer, requestId: number): Message {
  const nameStart = headerLength + 4
  const nameEnd = bytes.indexOf(0, nameStart)
  const [database = 'admin'] = bytes.toString('utf8', nameStart, nameEnd).split('.', 1)
  const body = decode(bytes.subarray(nameEnd + 1 + 8))
  return {
    requestId,
    opCode: queryOpCode,
    body: { ...body, $db: database },
    unreadable: undefined,
    sequences: new Map(),
    moreToCome: false,
  }
}
