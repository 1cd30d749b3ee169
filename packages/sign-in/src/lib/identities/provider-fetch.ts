import { isLoopback } from './loopback.ts'
import { type ProviderFetch } from './provider.ts'

/** The provider could not be reached, or its response cannot be used. */
export class ProviderFailure extends Error {
  override name = 'ProviderFailure'
}

export interface ProviderFetchOptions {
  readonly issuer: string
  readonly send: ProviderFetch
  /** In milliseconds. */
  readonly timeout: number
}

const maxBytes = 1_048_576

// Sends requests to the endpoints of a provider: encrypted, and with a limit of time and of bytes. Throws ProviderFailure.
export function createProviderFetch({
  issuer,
  send,
  timeout,
}: ProviderFetchOptions): ProviderFetch {
  const isLocal = isLoopback(new URL(issuer))
  return async (url, init) => {
    const target = new URL(url)
    // A discovery document can name endpoints of other hosts, but none that is not encrypted.
    if (target.protocol !== 'https:' && !(isLocal && isLoopback(target))) {
      throw new ProviderFailure(`${target.origin} is not encrypted`)
    }
    const signal = AbortSignal.timeout(timeout)
    try {
      const response = await send(url, { ...init, signal })
      if (response.status >= 500) throw new ProviderFailure(`${url} returned ${response.status}`)
      const body = await readAll(response)
      const { status, statusText, headers } = response
      return new Response(isNullBody(status) ? null : body, { status, statusText, headers })
    } catch (cause) {
      if (cause instanceof ProviderFailure) throw cause
      throw new ProviderFailure(`${target.origin} did not respond`, { cause })
    }
  }
}

function isNullBody(status: number): boolean {
  return status === 204 || status === 205 || status === 304
}

// Stops reading a response that is too large.
async function readAll({ body }: Response): Promise<Blob> {
  const parts: Uint8Array<ArrayBuffer>[] = []
  let size = 0
  for await (const part of body ?? []) {
    size += part.byteLength
    if (size > maxBytes) throw new ProviderFailure(`a response is larger than ${maxBytes} bytes`)
    parts.push(new Uint8Array(part))
  }
  return new Blob(parts)
}
