import { isUtf8 } from 'node:buffer'
import { brotliDecompressSync, gunzipSync, inflateSync } from 'node:zlib'
import { type Body, type Headers, headerOf, isJsonType } from './recording.ts'
import { type Masker } from './secrets.ts'

const decoders = {
  gzip: gunzipSync,
  'x-gzip': gunzipSync,
  br: brotliDecompressSync,
  deflate: inflateSync,
} as const

// Larger ones are kept compressed.
const maxDecoded = 64 * 1024 * 1024

export interface Decoded {
  readonly bytes: Buffer
  /** Without `Content-Encoding` if it was decoded. */
  readonly headers: Headers
}

export function decodeBody(bytes: Buffer, headers: Headers): Decoded {
  const encoding = headerOf(headers, 'content-encoding')?.trim().toLowerCase() ?? ''
  const decoder = Object.entries(decoders).find(([name]) => name === encoding)?.[1]
  if (decoder === undefined || bytes.length === 0) return { bytes, headers }
  try {
    const decoded = decoder(bytes, { maxOutputLength: maxDecoded })
    return {
      bytes: decoded,
      headers: headers.filter(([name]) => name.toLowerCase() !== 'content-encoding'),
    }
  } catch {
    return { bytes, headers }
  }
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
  if (!isUtf8(bytes) || bytes.includes(0)) return { base64: bytes.toString('base64') }
  const text = bytes.toString('utf8')
  if (/^application\/x-www-form-urlencoded\b/i.test(type)) return { text: masker.form(text) }
  return (isJsonType(headers) ? toJson(text, masker) : undefined) ?? { text: masker.text(text) }
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
