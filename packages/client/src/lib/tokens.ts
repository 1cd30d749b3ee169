/** The tokens of a session. */
export interface Tokens {
  /** Sent with each request. */
  readonly accessToken: string
  /** Exchanged for new tokens; absent when the server keeps it in a cookie. */
  readonly refreshToken?: string | undefined
  /** When the access token expires, in milliseconds since 1970 by the clock of this device. */
  readonly expiresAt: number
}

// Time for a request to arrive: a second, as times in tokens are whole seconds, and a part of the lifetime.
function toMargin(lifetime: number): number {
  return Math.min(lifetime / 2, 1000 + lifetime / 30)
}

// Reads the tokens of a response of register, login or refresh-token; undefined if there are none.
export function readTokens(body: unknown): Tokens | undefined {
  const { accessToken, expiresIn, refreshToken } = Object(Object(body).data ?? body)
  if (!accessToken) return undefined
  // Relative, so that it is right whatever time it is on this device.
  const lifetime = (expiresIn ?? 60) * 1000
  return { accessToken, refreshToken, expiresAt: Date.now() + lifetime - toMargin(lifetime) }
}

// Whether the access token can still be used.
export function isValid(tokens: Tokens | undefined): boolean {
  return tokens !== undefined && tokens.expiresAt > Date.now()
}
