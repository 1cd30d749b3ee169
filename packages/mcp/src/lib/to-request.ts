import { type JsonObject } from './json.ts'
import { type Operation } from './operations.ts'
import { type Argument, type Tool } from './tool.ts'

/** A request of an operation. */
export interface ToolRequest {
  readonly method: string
  /** Path with query. */
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | undefined
}

/** Arguments that make no request: what is wrong with each. */
export class ArgumentError extends Error {
  override readonly name = 'ArgumentError'
}

// The request of a call. Throws ArgumentError for arguments that the tool does not have, and for those without which
// there is no path; the service checks everything else.
export function toRequest({ operation, parameters }: Tool, values: JsonObject): ToolRequest {
  const path = new Map<string, string>()
  const query = new URLSearchParams()
  const headers: Record<string, string> = {}
  for (const [key, value] of Object.entries(values)) {
    const argument = parameters.get(key)
    if (!argument) throw new ArgumentError(describeUnknown(key, parameters))
    // Many programs send null for what they leave out.
    if (value === null || argument.in === 'body') continue
    if (argument.in === 'path') path.set(argument.name, toSegment(key, value))
    else if (argument.in === 'header') headers[argument.name] = toHeader(key, value)
    else for (const text of toTexts(value)) query.append(argument.name, text)
  }
  const search = query.size > 0 ? `?${query.toString()}` : ''
  return {
    method: operation.method,
    path: fillPath(operation.path, path) + search,
    ...addBody(headers, operation, values['body']),
  }
}

function addBody(
  headers: Readonly<Record<string, string>>,
  { body }: Operation,
  value: unknown,
): Pick<ToolRequest, 'headers' | 'body'> {
  if (!body?.json || value === undefined) return { headers, body: undefined }
  return { headers: { ...headers, 'Content-Type': body.json.type }, body: JSON.stringify(value) }
}

function describeUnknown(key: string, parameters: ReadonlyMap<string, Argument>): string {
  const known = [...parameters.keys()]
  const names = known.length === 0 ? 'It has none.' : `It has ${known.join(', ')}.`
  return `The tool has no argument '${key.slice(0, 100)}'. ${names}`
}

function fillPath(template: string, values: ReadonlyMap<string, string>): string {
  return template.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const value = values.get(name)
    if (value === undefined) throw new ArgumentError(`The argument '${name}' is missing.`)
    return value
  })
}

// An empty segment, `.` and `..` would be another path.
function toSegment(key: string, value: unknown): string {
  const text = toText(value)
  if (!/^\.{0,2}$/.test(text) && !/\p{Surrogate}/u.test(text)) return encodeURIComponent(text)
  throw new ArgumentError(`The argument '${key}' is not a value of a path.`)
}

function toHeader(key: string, value: unknown): string {
  const text = toText(value)
  if (/^[\x20-\x7E]{1,1000}$/.test(text)) return text
  throw new ArgumentError(`The argument '${key}' is not a value of a header.`)
}

function toTexts(value: unknown): string[] {
  return Array.isArray(value) ? value.map(toText) : [toText(value)]
}

function toText(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '')
}
