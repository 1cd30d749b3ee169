import { createHash } from 'node:crypto'
import { closeSync, createReadStream, openSync, readSync, statSync } from 'node:fs'
import { basename } from 'node:path'
import { CliError } from '../errors/cli-error.ts'
import { isErrno } from '../files/plan.ts'

/** Text that is read in pieces. */
export interface Source {
  /** Its name for messages. */
  readonly name: string
  /** In bytes; undefined for standard input. */
  readonly size: number | undefined
  /** Its first characters. */
  readonly start: string
  /** Bytes that were read so far. */
  readonly position: () => number
  /** The text in pieces, without a byte order mark. */
  readonly read: () => AsyncIterable<string>
}

const startBytes = 64 * 1024
const boms = [
  { label: 'utf-8', bytes: [0xef, 0xbb, 0xbf] },
  { label: 'utf-16le', bytes: [0xff, 0xfe] },
  { label: 'utf-16be', bytes: [0xfe, 0xff] },
]

// Opens a file whose encoding follows from its byte order mark, unless it is stated.
export function openFile(path: string, encoding: string | undefined): Source {
  const size = requireFile(path)
  const head = readHead(path)
  const label = chooseEncoding(head, encoding)
  const name = basename(path)
  let position = 0
  return {
    name,
    size,
    start: new TextDecoder(label).decode(head),
    position: () => position,
    read: () =>
      decode({ name, label }, createReadStream(path), (bytes) => {
        position = bytes
      }),
  }
}

// Standard input can be read once: its start is the first piece.
export async function openStdin(
  stdin: AsyncIterable<Uint8Array | string>,
  encoding: string | undefined,
): Promise<Source> {
  const chunks = stdin[Symbol.asyncIterator]()
  const first = await chunks.next()
  const head = first.done === true ? Buffer.alloc(0) : Buffer.from(first.value)
  if (head.length === 0) throw emptyError('standard input')
  const label = chooseEncoding(head, encoding)
  let position = 0
  async function* all(): AsyncGenerator<Uint8Array | string> {
    yield head
    yield* { [Symbol.asyncIterator]: () => chunks }
  }
  return {
    name: 'standard input',
    size: undefined,
    start: new TextDecoder(label).decode(head),
    position: () => position,
    read: () =>
      decode({ name: 'standard input', label }, all(), (bytes) => {
        position = bytes
      }),
  }
}

// SHA-256 of the bytes of a file.
export async function hashFile(path: string): Promise<string> {
  const hash = createHash('sha256')
  for await (const chunk of createReadStream(path)) hash.update(chunk)
  return hash.digest('hex')
}

function requireFile(path: string): number {
  const stats = statSync(path, { throwIfNoEntry: false })
  if (!stats) {
    throw new CliError('USAGE', `there is no file ${path}`, {
      hint: 'pass the path of a file, or - for standard input',
    })
  }
  if (!stats.isFile()) throw new CliError('USAGE', `${path} is not a file`)
  if (stats.size === 0) throw emptyError(path)
  return stats.size
}

function emptyError(name: string): CliError {
  return new CliError('INVALID_DOCUMENT', `${name} is empty`)
}

function readHead(path: string): Buffer {
  const head = Buffer.alloc(startBytes)
  try {
    const file = openSync(path, 'r')
    try {
      return head.subarray(0, readSync(file, head))
    } finally {
      closeSync(file)
    }
  } catch (error) {
    if (!isErrno(error, 'EACCES') && !isErrno(error, 'EPERM')) throw error
    throw new CliError('USAGE', `${path} cannot be read`, {
      hint: 'check its owner and permissions: ls -l',
      cause: error,
    })
  }
}

function findBom(head: Buffer): string | undefined {
  return boms.find(({ bytes }) => bytes.every((byte, index) => head[index] === byte))?.label
}

// A byte order mark wins, as in browsers.
function chooseEncoding(head: Buffer, encoding = 'utf-8'): string {
  const stated = requireEncoding(encoding)
  return findBom(head) ?? stated
}

// The encodings of the Encoding Standard, under all their names.
function requireEncoding(encoding: string): string {
  try {
    return new TextDecoder(encoding).encoding
  } catch {
    throw new CliError('USAGE', `unknown encoding "${encoding}"`, {
      hint: 'for example utf-8, utf-16le, windows-1252 or iso-8859-15',
    })
  }
}

interface Text {
  readonly name: string
  readonly label: string
}

async function* decode(
  { name, label }: Text,
  chunks: AsyncIterable<Uint8Array | string>,
  onBytes: (bytes: number) => void,
): AsyncGenerator<string> {
  const decoder = new TextDecoder(label, { fatal: true })
  let bytes = 0
  let line = 1
  const check = (toText: () => string): string => {
    const text = decodeOr(toText, () => encodingError(name, label, line))
    if (text.includes('\0')) throw nulError(name, line)
    for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) line += 1
    return text
  }
  for await (const chunk of chunks) {
    const piece = Buffer.from(chunk)
    bytes += piece.length
    yield check(() => decoder.decode(piece, { stream: true }))
    onBytes(bytes)
  }
  yield check(() => decoder.decode())
}

function decodeOr(toText: () => string, toError: () => CliError): string {
  try {
    return toText()
  } catch {
    throw toError()
  }
}

function encodingError(name: string, label: string, line: number): CliError {
  return new CliError(
    'INVALID_DOCUMENT',
    `${name} is not ${label.toUpperCase()}, in or after line ${line}`,
    {
      hint: 'state its encoding: --encoding windows-1252 (Excel in Western Europe), or save it as UTF-8',
    },
  )
}

function nulError(name: string, line: number): CliError {
  return new CliError(
    'INVALID_DOCUMENT',
    `${name} contains NUL characters, in or after line ${line}`,
    {
      hint: 'if it is UTF-16 without a byte order mark: --encoding utf-16le',
    },
  )
}
