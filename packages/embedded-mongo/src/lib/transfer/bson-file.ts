import { createReadStream, createWriteStream } from 'node:fs'
import { type Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGunzip, createGzip } from 'node:zlib'
import { maxEncodedBytes } from '../bson/codec.ts'

const chunkBytes = 1024 * 1024
const gzip = /\.gz$/

// Writes documents one after another; compresses them if the name ends with .gz.
export async function writeBson(file: string, documents: AsyncIterable<unknown>): Promise<number> {
  let count = 0
  async function* chunks(): AsyncGenerator<Buffer> {
    let parts: Uint8Array[] = []
    let bytes = 0
    for await (const raw of documents) {
      if (!(raw instanceof Uint8Array)) throw new TypeError('The driver returned no raw document')
      parts.push(raw)
      bytes += raw.length
      count += 1
      if (bytes < chunkBytes) continue
      yield Buffer.concat(parts)
      parts = []
      bytes = 0
    }
    yield Buffer.concat(parts)
  }
  await writeFile(file, chunks())
  return count
}

export async function writeText(file: string, text: string): Promise<void> {
  await writeFile(file, [Buffer.from(text)])
}

async function writeFile(
  file: string,
  chunks: AsyncIterable<Buffer> | Iterable<Buffer>,
): Promise<void> {
  const out = createWriteStream(file, { mode: 0o600, flush: true })
  await (gzip.test(file) ? pipeline(chunks, createGzip(), out) : pipeline(chunks, out))
}

// The documents of a file, as raw BSON.
export async function* readBson(file: string): AsyncGenerator<Buffer> {
  let rest: Buffer = Buffer.alloc(0)
  let offset = 0
  for await (const chunk of openFile(file)) {
    rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk])
    let start = 0
    while (rest.length - start >= 4) {
      const length = rest.readInt32LE(start)
      if (length < 5 || length > maxEncodedBytes) {
        throw new Error(`${file} is damaged at byte ${offset + start}: a length of ${length}.`)
      }
      if (rest.length - start < length) break
      yield rest.subarray(start, start + length)
      start += length
    }
    offset += start
    rest = rest.subarray(start)
  }
  if (rest.length > 0) throw new Error(`${file} ends within a document that begins at ${offset}.`)
}

export async function readText(file: string): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of openFile(file)) chunks.push(chunk)
  return Buffer.concat(chunks).toString()
}

function openFile(file: string): AsyncIterable<Buffer> {
  const source: Readable = createReadStream(file, { highWaterMark: chunkBytes })
  if (!gzip.test(file)) return source
  const gunzip = createGunzip()
  source.on('error', (error) => gunzip.destroy(error)).pipe(gunzip)
  return gunzip
}
