import { type ReadEvents } from './events.ts'

/** The type of `form`. */
export type ToForm = (body: unknown) => FormData

/** One operation of the API, as a generated client describes it. */
export interface Operation {
  /** HTTP method, in upper case. */
  readonly method: string
  /** Path with its parameters: `/api/posts/{id}`. */
  readonly path: string
  /** Media type of the body, or the function `form` for a form with files. */
  readonly body?: string | ToForm
  /** Member of the response body that a call returns; absent for the whole body. */
  readonly data?: string
  /** Whether the call takes parameters of the query. */
  readonly query?: true
  /** Member of a document that is the last parameter of the path; `id` by default. */
  readonly key?: string
  /** Whether the list has cursors: adds `pages` and `each`. */
  readonly cursor?: true
  /** Whether the server takes an `Idempotency-Key`. */
  readonly idempotent?: true
  /** For a stream of events: `readEvents`. */
  readonly events?: ReadEvents
  /** How to read a response that is not JSON. */
  readonly raw?: 'blob' | 'text' | 'stream'
}

/** The operations of an API by resource and name. */
export type Operations = Readonly<Record<string, Readonly<Record<string, Operation>>>>

// What the arguments of a call mean.
export interface Arguments {
  /** The path with its parameters. */
  readonly path: string
  readonly parameters: Readonly<Record<string, string>>
  /** The document that was passed instead of its id. */
  readonly document: object | undefined
  readonly body: unknown
  readonly contentType?: string | undefined
  readonly query: Readonly<Record<string, unknown>> | undefined
  readonly options: CallOptions
}

/** Options of one call. */
export interface CallOptions {
  /** Ends the call, which then fails with the code `aborted`. */
  readonly signal?: AbortSignal
  /** Further header fields. */
  readonly headers?: Readonly<Record<string, string>>
}

// Reads arguments: parameters of the path in their order, the body, the query, options.
export function readArguments(operation: Operation, values: readonly unknown[]): Arguments {
  const { body: kind, key = 'id', query: hasQuery } = operation
  const rest = [...values]
  const parameters: Record<string, string> = {}
  let document: object | undefined
  const path = operation.path.replaceAll(/\{(.+?)\}/g, (_, name: string) => {
    const value = rest.shift()
    if (typeof value === 'object' && value) document = value
    const id = String((document === value ? Reflect.get(Object(value), key) : value) ?? '')
    if (!id) throw new TypeError(`${operation.path} needs ${name}.`)
    parameters[name] = id
    return encodeURIComponent(id)
  })
  const body = kind && rest.shift()
  const query = hasQuery && (rest.shift() as Arguments['query'])
  const options = (rest.shift() ?? {}) as CallOptions
  // The platform adds the media type of a form, with its boundary.
  const [content, contentType] = typeof kind === 'function' ? [kind(body)] : [body, kind]
  return { path, parameters, document, query, options, body: content, contentType }
}
