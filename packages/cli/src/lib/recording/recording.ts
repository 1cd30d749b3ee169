export type Headers = readonly (readonly [name: string, value: string])[]

/** A body without its content encoding. */
export type Body =
  | { readonly json: unknown }
  | { readonly text: string }
  | { readonly base64: string }
  /** Why it was not recorded, and its size in bytes. */
  | { readonly omitted: string; readonly bytes: number }

export interface RecordedRequest {
  readonly method: string
  /** Path and query as they were sent. */
  readonly path: string
  readonly headers: Headers
  readonly body?: Body | undefined
}

export interface RecordedResponse {
  readonly status: number
  readonly headers: Headers
  readonly body?: Body | undefined
}

/** A line of a recording. */
export interface Exchange {
  /** When the request arrived, as ISO 8601. */
  readonly at: string
  /** Milliseconds until the response was complete. */
  readonly duration: number
  readonly request: RecordedRequest
  readonly response?: RecordedResponse | undefined
  /** Why there is no complete response. */
  readonly failure?: string | undefined
}

/** The first line of a recording. */
export interface RecordingHead {
  readonly recording: number
  readonly target: string
}

export const recordingVersion = 1

// Headers as Node.js has received them.
export function toHeaders(raw: readonly string[]): Headers {
  return raw.flatMap((name, index) =>
    index % 2 === 0 ? [[name, raw[index + 1] ?? ''] as const] : [],
  )
}

export function headerOf(headers: Headers, name: string): string | undefined {
  return headers.find(([one]) => one.toLowerCase() === name)?.[1]
}

export function isFormType(headers: Headers): boolean {
  return /^application\/x-www-form-urlencoded\b/i.test(headerOf(headers, 'content-type') ?? '')
}

export function isJsonType(headers: Headers): boolean {
  return /[/+]json\b/i.test(headerOf(headers, 'content-type') ?? '')
}
