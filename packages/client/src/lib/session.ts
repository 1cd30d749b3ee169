import { type Failure, toClientFailure } from './failure.ts'
import { type Fetch } from './fetch.ts'
import { createLock, type Lock } from './lock.ts'
import { sendOnce, unwrap } from './retries.ts'
import { createTabs, type Tabs } from './tabs.ts'
import { createLocalStore, createMemoryStore, type TokenStore } from './token-store.ts'
import { isValid, readTokens, type Tokens } from './tokens.ts'
import { toBase, toUrl } from './urls.ts'
import { readRetryAfter, toBackoff, wait } from './wait.ts'

/**
 * Why a session ended: `logout` by this page, `other_tab` by another one, or the code of the server's refusal, such as
 * `refresh_token_expired` or `session_revoked`.
 */
export type LogoutReason = 'logout' | 'other_tab' | (string & {})

/** Options of a session. */
export interface SessionOptions {
  /** Base URL of the API: `https://api.example.com`. Tokens are sent nowhere else. */
  readonly url: string
  /**
   * Where the tokens are kept: `memory` of this page, `local` (`localStorage`, one session for all tabs), `cookie` (the
   * server's cookie mode, also one session), or your own store.
   * @default 'memory'
   */
  readonly storage?: 'memory' | 'local' | 'cookie' | TokenStore
  /**
   * Path of the routes of authentication. A path that leads out of the API is a TypeError.
   * @default '/api/v1/auth'
   */
  readonly authPath?: string
  /** Called when the session has ended: show the login. */
  readonly onLogout?: (reason: LogoutReason) => void
  /** The function that sends requests. */
  readonly fetch?: Fetch
}

/** A session with an API, shared by the tabs that keep their tokens in the same place. */
export interface Session {
  /** Like `fetch`, with a valid access token. */
  readonly fetch: Fetch
  /** Whether there is a session; in cookie mode this can send a request. */
  isLoggedIn(): Promise<boolean>
  /**
   * Ends the session in all tabs, and on the server.
   * @throws Failure `network_error` when the server cannot be reached; in this browser the session has ended
   */
  logout(): Promise<void>
  /** Stops listening to other tabs. */
  close(): void
}

// A lost response is asked for again while the server still returns it: ten seconds by default.
const attemptTime = 4000
const attempts = 12
const longestPause = 1000

// What one does without a session: with the tokens of an old one it would be refreshed first.
const publicActions =
  /^(register|(passkeys\/)?login|second-factor|refresh|logout$|forgot|reset|verify|confirm)/

// What a user typed is wrong: with new tokens it would be sent, and counted as a guess, once more.
async function isAboutInput(response: Response): Promise<boolean> {
  return /^(invalid_(code|credentials|passkey)|second_factor_)/.test(
    Object(await readJson(response.clone())).code,
  )
}

/**
 * Creates a session. It begins with the response of a register or login request that is sent by its `fetch`.
 * @param options - URL, storage, and the function to call when the session ends
 * @returns the session
 * @example
 * ```ts
 * import { createSession } from '@create-api/client'
 *
 * const session = createSession({
 *   url: 'https://api.example.com',
 *   storage: 'cookie',
 *   onLogout: (reason) => console.log(reason),
 * })
 * const response = await session.fetch('https://api.example.com/api/posts')
 * ```
 */
export function createSession(options: SessionOptions): Session {
  return new TokenSession(options)
}

/**
 * Creates a function like `fetch` with a session, for generated clients that accept one.
 * @param options - URL, storage, and the function to call when the session ends
 * @returns the function, with the session
 * @example
 * ```ts
 * import { createSessionFetch } from '@create-api/client'
 *
 * const sessionFetch = createSessionFetch({ url: 'https://api.example.com', storage: 'local' })
 * const response = await sessionFetch('https://api.example.com/api/posts')
 * ```
 */
export function createSessionFetch(options: SessionOptions): Fetch & { session: Session } {
  const session = createSession(options)
  return Object.assign(session.fetch.bind(session), { session })
}

class TokenSession implements Session {
  readonly #base: string
  readonly #auth: string
  readonly #inCookie: boolean
  readonly #store: TokenStore
  readonly #send: Fetch
  readonly #onLogout: SessionOptions['onLogout']
  readonly #lock: Lock
  readonly #tabs: Tabs | undefined
  // In cookie mode only a request shows whether there is a session.
  #isOut = false
  #refreshing: Promise<Tokens | undefined> | undefined

  constructor(options: SessionOptions) {
    const { authPath = '/api/v1/auth', onLogout, storage = 'memory', url } = options
    const name = `api:${url}`
    const shared = storage === 'memory' ? undefined : name
    this.#base = toBase(url)
    this.#auth = toUrl(this.#base, `${authPath}/`)
    this.#inCookie = storage === 'cookie'
    this.#store = toStore(storage, name)
    this.#send = options.fetch ?? ((input, init) => fetch(input, init))
    this.#onLogout = onLogout
    this.#lock = createLock(shared)
    this.#tabs = createTabs(shared, (message) => {
      void (message === 'logout' ? this.#forget('other_tab') : this.#keep(message))
    })
  }

  async fetch(input: string | URL | Request, init?: RequestInit): Promise<Response> {
    const request = new Request(input, init)
    if (!request.url.startsWith(this.#base) || request.headers.has('authorization'))
      return this.#send(request)
    // A stream can be sent only once.
    const copy = init?.body instanceof ReadableStream ? undefined : request.clone()
    const action = this.#toAction(request)
    const tokens = publicActions.test(action) ? undefined : await this.#find()
    const response = await this.#sendWith(request, tokens)
    const isRefused = response.status === 401 && tokens && copy && !(await isAboutInput(response))
    return this.#watch(action, isRefused ? await this.#repeat(copy, response, tokens) : response)
  }

  async isLoggedIn(): Promise<boolean> {
    return Boolean(await this.#find())
  }

  async logout(): Promise<void> {
    const tokens = await this.#store.read()
    await this.#end('logout')
    if (tokens?.refreshToken || this.#inCookie) unwrap(await this.#post('logout', tokens))
  }

  close(): void {
    this.#tabs?.close()
  }

  // What a request to the routes of authentication does, such as `login`.
  #toAction({ method, url }: Request): string {
    return method === 'POST' && url.startsWith(this.#auth) ? url.slice(this.#auth.length) : ''
  }

  #sendWith(request: Request, tokens?: Tokens): Promise<Response> {
    if (tokens) request.headers.set('authorization', `Bearer ${tokens.accessToken}`)
    return this.#send(request, this.#inCookie ? { credentials: 'include' } : {})
  }

  async #repeat(request: Request, refused: Response, { accessToken }: Tokens): Promise<Response> {
    const fresh = await this.#refresh(accessToken)
    if (!fresh) return refused
    await refused.body?.cancel()
    return this.#sendWith(request, fresh)
  }

  // Register and login return the tokens of a new session; logout and logout-all end it.
  async #watch(action: string, response: Response): Promise<Response> {
    if (!action || !response.ok) return response
    if (action.startsWith('logout')) await this.#end('logout')
    const tokens = readTokens(await readJson(response.clone()))
    if (tokens) await this.#keep(tokens, true)
    return response
  }

  async #find(): Promise<Tokens | undefined> {
    const tokens = await this.#store.read()
    if (isValid(tokens)) return tokens
    return tokens || this.#mayBeIn() ? this.#refresh(tokens?.accessToken) : undefined
  }

  // One refresh at a time on this page, and in all tabs.
  #refresh(used: string | undefined): Promise<Tokens | undefined> {
    this.#refreshing ??= this.#lock(() => this.#exchange(used)).finally(() => {
      this.#refreshing = undefined
    })
    return this.#refreshing
  }

  async #exchange(used: string | undefined): Promise<Tokens | undefined> {
    for (let attempt = 0; ; attempt += 1) {
      const tokens = await this.#store.read()
      if (!tokens && !this.#mayBeIn()) return undefined
      if (tokens?.accessToken !== used && isValid(tokens)) return tokens
      const outcome = await this.#post('refresh-token', tokens)
      const body = await readJson(outcome)
      // The user may have logged out, or in as another one, in the meantime.
      if (await this.#hasChanged(tokens)) continue
      const fresh = readTokens(body)
      if (fresh) return this.#keep(fresh, true)
      if (outcome.status === 401) return this.#end(tokens && toReason(body))
      await pause(outcome, attempt)
    }
  }

  #mayBeIn(): boolean {
    return this.#inCookie && !this.#isOut
  }

  async #hasChanged(tokens: Tokens | undefined): Promise<boolean> {
    const current = await this.#store.read()
    return current?.accessToken !== tokens?.accessToken || (this.#inCookie && this.#isOut)
  }

  async #keep(tokens: Tokens, isNew = false): Promise<Tokens> {
    this.#isOut = false
    await this.#store.write(tokens)
    if (isNew && this.#inCookie) this.#tabs?.postMessage(tokens)
    return tokens
  }

  async #forget(reason: string | undefined): Promise<void> {
    this.#isOut = true
    await this.#store.write(undefined)
    if (reason) this.#onLogout?.(reason)
  }

  async #end(reason?: string): Promise<undefined> {
    await this.#forget(reason)
    if (reason) this.#tabs?.postMessage('logout')
  }

  #post(action: string, tokens?: Tokens): ReturnType<typeof sendOnce> {
    const init: RequestInit = this.#inCookie
      ? { credentials: 'include', headers: { 'x-requested-with': 'fetch' } }
      : {
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ refreshToken: tokens?.refreshToken }),
        }
    // A logout continues when the page is left.
    const keepalive = action === 'logout'
    // A redirect would send the refresh token to another address.
    const options: RequestInit = { ...init, method: 'POST', keepalive, redirect: 'error' }
    const request = new Request(this.#auth + action, options)
    return sendOnce(this.#send, request, attemptTime)
  }
}

function toStore(storage: NonNullable<SessionOptions['storage']>, name: string): TokenStore {
  if (typeof storage === 'object') return storage
  return storage === 'local' ? createLocalStore(name) : createMemoryStore()
}

// Undefined for a response that is lost or truncated.
async function readJson(outcome: Response | Failure): Promise<unknown> {
  return outcome instanceof Response ? outcome.json().catch(() => undefined) : undefined
}

// 0 and a truncated 200 are lost responses.
const temporary = /^(0|200|408|409|429|5..)$/

function pause(outcome: Response | Failure, attempt: number): Promise<void> {
  if (!temporary.test(String(outcome.status)) || attempt >= attempts)
    throw toClientFailure('network_error', outcome)
  return wait(readRetryAfter(outcome) ?? Math.min(longestPause, toBackoff(attempt)))
}

function toReason(body: unknown): string {
  return String(Object(body).code ?? 'session_revoked')
}
