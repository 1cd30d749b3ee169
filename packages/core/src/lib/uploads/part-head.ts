import { isUtf8 } from 'node:buffer'
import { parse as parseContentType } from 'content-type'
import { ApiError } from '../errors/api-error.ts'

/** The facts in the header fields of a part. */
export interface PartHead {
  readonly name: string
  /** Base name of the file; undefined for a text field, empty if the client has chosen no file. */
  readonly filename: string | undefined
  /** Media type in lower case, without parameters. */
  readonly type: string | undefined
  readonly charset: string
}

/** The header fields of a part as the parser returns them: bytes as Latin-1. */
export type PartHeaders = Readonly<Record<string, readonly string[] | undefined>>

// The limit of Node for whole requests is 16 KB; a part has two or three short fields.
export const maxHeaderBytes = 8192
export const maxHeaderFields = 16

const maxNameLength = 200
// RFC 6838 section 4.2.
const mediaTypePattern = /^[a-z\d][\w!#$&^.+-]*\/[a-z\d][\w!#$&^.+-]*$/
const encodings = new Set(['7bit', '8bit', 'binary'])

export function parsePartHead(headers: PartHeaders): PartHead {
  requireSize(headers)
  const parameters = parseDisposition(one(headers, 'content-disposition'))
  const name = parameters.get('name') ?? ''
  if (name === '') throw malformed('A part has no name.')
  if (name.length > maxNameLength || /\p{Cc}/u.test(name)) {
    throw malformed(
      `The name of a part has control characters or over ${maxNameLength} characters.`,
    )
  }
  requireNoEncoding(one(headers, 'content-transfer-encoding'))
  const filename = parameters.get('filename*') ?? parameters.get('filename')
  return {
    name,
    filename: filename === undefined ? undefined : toBaseName(filename),
    ...parseType(one(headers, 'content-type')),
  }
}

function parseType(contentType = ''): Pick<PartHead, 'type' | 'charset'> {
  const { type, parameters } = parseContentType(contentType)
  if (type !== '' && !mediaTypePattern.test(type)) {
    throw malformed('The Content-Type of a part is not a media type.')
  }
  if (type.startsWith('multipart/')) {
    throw malformed('Nested multipart bodies are deprecated (RFC 7578 section 4.3).')
  }
  return {
    type: type === '' ? undefined : type,
    charset: (parameters['charset'] ?? 'utf-8').toLowerCase(),
  }
}

export function malformed(detail: string): ApiError {
  return new ApiError('malformed_multipart', { detail })
}

function requireSize(headers: PartHeaders): void {
  const lines = Object.entries(headers).flatMap(([name, values = []]) =>
    values.map((value) => name.length + value.length),
  )
  const bytes = lines.reduce((sum, length) => sum + length, 0)
  if (lines.length <= maxHeaderFields && bytes <= maxHeaderBytes) return
  throw malformed(
    `A part has more than ${maxHeaderFields} header fields, or ${maxHeaderBytes} bytes of them.`,
  )
}

function requireNoEncoding(encoding = 'binary'): void {
  if (encodings.has(encoding.trim().toLowerCase())) return
  throw malformed('Content-Transfer-Encoding is deprecated (RFC 7578 section 4.7).')
}

function one(headers: PartHeaders, name: string): string | undefined {
  const values = headers[name] ?? []
  if (values.length > 1) throw malformed(`A part has several ${name} fields.`)
  return values[0]
}

// `form-data; name="avatar"; filename="me.png"` (RFC 7578 section 4.2).
const parameterPattern =
  /;[ \t]*([!#$%&'*+.^_`|~\w-]+)[ \t]*=[ \t]*(?:"((?:[^"\\]|\\.)*)"|([^\s;"]*))[ \t]*/gy

function parseDisposition(value: string | undefined): ReadonlyMap<string, string> {
  const parameters = new Map<string, string>()
  const kind = /^[ \t]*form-data[ \t]*(?=;|$)/i.exec(value ?? '')
  if (value === undefined || !kind) throw malformed('A part has no Content-Disposition: form-data.')
  let end = kind[0].length
  for (const match of value.slice(end).matchAll(parameterPattern)) {
    const [whole, key = '', quoted, token = ''] = match
    const name = key.toLowerCase()
    if (parameters.has(name)) throw malformed(`Content-Disposition has several ${name} parameters.`)
    parameters.set(name, name.endsWith('*') ? decodeExtended(token) : decode(quoted ?? token))
    end += whole.length
  }
  if (end !== value.length) throw malformed('A Content-Disposition cannot be parsed.')
  return parameters
}

// Browsers write `%22` for a quote and leave a backslash as it is; others escape both.
function decode(bytes: string): string {
  return decodeUtf8(Buffer.from(bytes, 'latin1'))
    .replaceAll(/\\(["\\])/g, '$1')
    .replaceAll('%22', '"')
}

// RFC 8187: `UTF-8''na%C3%AFve.png`.
function decodeExtended(value: string): string {
  const [, encoded] = /^utf-8'[\w-]*'(.*)$/is.exec(value) ?? []
  if (encoded === undefined) throw malformed('filename* must be UTF-8.')
  const bytes = encoded.replaceAll(/%([\da-f]{2})/gi, (_escape, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  )
  return decodeUtf8(Buffer.from(bytes, 'latin1'))
}

function decodeUtf8(bytes: Buffer): string {
  if (isUtf8(bytes)) return bytes.toString()
  throw new ApiError('invalid_encoding', { detail: 'The name of a part is not valid UTF-8.' })
}

// The name of a file without its path, control characters and those that change the direction of text.
function toBaseName(filename: string): string {
  const base = filename.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '').replace(/^.*[/\\]/s, '')
  if (filename === '') return ''
  return base === '' || base === '.' || base === '..' ? 'file' : base.slice(-maxNameLength)
}
