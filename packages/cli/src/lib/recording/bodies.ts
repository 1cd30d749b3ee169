import { isUtf8 } from 'node:buffer'
import * as zlib from 'node:zlib'
import { type Body, type Headers, headerOf, isFormType, isJsonType } from './recording.ts'
import { type Masker } from './secrets.ts'

type Decode = (bytes: Buffer, options: { readonly maxOutputLength: number }) => Buffer

// Node.js 20 has no Zstandard.
const { gunzipSync, zstdDecompressSync }: { gunzipSync: Decode; zstdDecompressSync?: Decode } = zlib
const decoders = new Map<string, Decode | undefined>([
  ['gzip', gunzipSync],
  ['x-gzip', gunzipSync],
  ['br', zlib.brotliDecompressSync],
  ['deflate', zlib.inflateSync],
  ['zstd', zstdDecompressSync],
  ['identity', (bytes: Buffer) => bytes],
])

// Larger ones are kept compressed.
const maxDecoded = 64 * 1024 * 1024

export interface Decoded {
  readonly bytes: Buffer
  /** Without `Content-Encoding` if it was decoded. */
  readonly headers: Headers
}

export function decodeBody(bytes: Buffer, headers: Headers): Decoded {
  const codings = headerOf(headers, 'content-encoding')?.toLowerCase().split(',').toReversed()
  if (codings === undefined || bytes.length === 0) return { bytes, headers }
  let decoded = bytes
  try {
    for (const coding of codings) {
      const decode = decoders.get(coding.trim())
      if (!decode) return { bytes, headers }
      decoded = decode(decoded, { maxOutputLength: maxDecoded })
    }
  } catch {
    return { bytes, headers }
  }
  const others = headers.filter(([name]) => name.toLowerCase() !== 'content-encoding')
  return { bytes: decoded, headers: others }
}

const unmasked: Pick<Masker, 'form' | 'json' | 'multipart' | 'text'> = {
  form: (text) => text,
  json: (value) => value,
  multipart: (body) => body,
  text: (text) => text,
}

// A decoded body as it is recorded.
export function toBody(bytes: Buffer, headers: Headers, masker = unmasked): Body | undefined {
  if (bytes.length === 0) return undefined
  const type = headerOf(headers, 'content-type') ?? ''
  const boundary = /^multipart\/.*boundary="?([^";]+)/i.exec(type)?.[1]
  if (boundary !== undefined) {
    return { base64: masker.multipart(bytes, boundary).toString('base64') }
  }
  if (isUtf8(bytes) && !bytes.includes(0)) {
    const text = bytes.toString('utf8')
    const json = isJsonType(headers) ? toJson(text, masker) : undefined
    return json ?? { text: maskText(text, headers, masker) }
  }
  const masked = maskText(bytes.toString('latin1'), headers, masker)
  return { base64: Buffer.from(masked, 'latin1').toString('base64') }
}

function maskText(text: string, headers: Headers, masker: typeof unmasked): string {
  return isFormType(headers) ? masker.form(text) : masker.text(text)
}

// JSON as a value, unless the value would lose what is in the text, such as digits, and no secret is masked.
function toJson(text: string, masker: Pick<Masker, 'json'>): Body | undefined {
  try {
    const value: unknown = JSON.parse(text)
    const written = JSON.stringify(value)
    const json = masker.json(value)
    const isMasked = JSON.stringify(json) !== written
    const compact = text.replace(/("(?:[^"\\]|\\.)*")|\s+/g, '$1')
    return isMasked || compact === written ? { json } : undefined
  } catch {
    return undefined
  }
}

export function toBytes(body: Body): Buffer {
  if ('json' in body) return Buffer.from(JSON.stringify(body.json))
  if ('text' in body) return Buffer.from(body.text)
  return 'base64' in body ? Buffer.from(body.base64, 'base64') : Buffer.alloc(0)
}
