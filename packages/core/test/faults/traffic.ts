import http from 'node:http'
import { type Reply, call, type CallOptions } from './client.ts'

/** What many clients of one service do, each with its own address. */
export interface Traffic {
  /** How many requests were sent so far. */
  readonly sent: number
  /** Number of responses with an unexpected status, by kind and code. */
  readonly unexpected: Readonly<Record<string, number>>
  /** Sends the next request. */
  next(): Promise<Reply>
}

/** One kind of request. */
interface Kind {
  readonly name: string
  /** How many of 200 requests. */
  readonly share: number
  /** Status that is due. */
  readonly status: number
  send(options: CallOptions): Promise<Reply>
}

const sessionsKept = 500
// Few enough for the queue of those that wait for their password's hash.
const registeredAtOnce = 20
const password = 'TestRiver42!'

/**
 * Makes the traffic of a soak: reads, writes, faults of clients, and users who come, stay and come
 * back.
 * @param url - of the service
 * @param addresses - how many clients there are
 * @returns the traffic, once there are some users
 */
export async function createTraffic(url: string, addresses: number): Promise<Traffic> {
  const clients = createClients(addresses)
  const unexpected: Record<string, number> = {}
  // Who refreshes takes a session out and puts the next one in: no two use one token at a time.
  const sessions: string[] = []
  const emails: string[] = []
  let newestToken = ''
  let users = 0
  let logins = 0

  const get = (path: string, options: CallOptions): Promise<Reply> => call(url + path, options)
  const post = (path: string, body: object, options: CallOptions): Promise<Reply> =>
    call(url + path, { ...options, method: 'POST', body })

  async function enter(path: string, body: object, options: CallOptions): Promise<Reply> {
    const response = await post(`/api/v1/auth/${path}`, body, options)
    if (response.status >= 300) return response
    newestToken = String(response.data?.['accessToken'])
    sessions.push(String(response.data?.['refreshToken']))
    if (sessions.length > sessionsKept) sessions.shift()
    return response
  }

  async function register(options: CallOptions): Promise<Reply> {
    const email = `user${users++}@example.org`
    const response = await enter('register', { email, password }, options)
    emails.push(email)
    return response
  }

  const me = (options: CallOptions): Promise<Reply> =>
    get('/api/v1/auth/me', { ...options, token: newestToken })

  function login(options: CallOptions): Promise<Reply> {
    return enter('login', { email: emails[logins++ % emails.length], password }, options)
  }

  // All may be on their way, where the machine is suspended for a while.
  function refresh(options: CallOptions): Promise<Reply> {
    const refreshToken = sessions.shift()
    return refreshToken === undefined
      ? me(options)
      : enter('refresh-token', { refreshToken }, options)
  }

  const write = (text: unknown, options: CallOptions): Promise<Reply> =>
    post('/api/notes', { text }, options)

  const kinds: readonly Kind[] = [
    { name: 'register', share: 1, status: 201, send: register },
    { name: 'login', share: 1, status: 200, send: login },
    { name: 'refresh', share: 8, status: 200, send: refresh },
    { name: 'me', share: 30, status: 200, send: me },
    {
      name: 'write',
      share: 20,
      status: 201,
      send: (options) => write(`${clients.sent % 1000}`, options),
    },
    { name: 'read', share: 80, status: 200, send: (options) => get('/api/notes', options) },
    {
      name: 'wait',
      share: 45,
      status: 200,
      send: (options) => get('/api/trouble/wait/5', options),
    },
    { name: 'invalid', share: 5, status: 422, send: (options) => write(1, options) },
    { name: 'stranger', share: 5, status: 401, send: (options) => get('/api/v1/auth/me', options) },
    { name: 'nowhere', share: 5, status: 404, send: (options) => get('/api/nothing', options) },
  ]
  const cycle = spread(kinds)

  // With fewer sessions, each would be refreshed more often than its limit allows.
  while (sessions.length < sessionsKept) {
    const some = Array.from({ length: registeredAtOnce }, () => register(clients.next()))
    await Promise.all(some)
  }
  return {
    unexpected,
    get sent() {
      return clients.sent
    },
    async next() {
      const kind = cycle[clients.sent % cycle.length]
      if (kind === undefined) throw new Error('There is no traffic to send.')
      const response = await kind.send(clients.next())
      if (response.status !== kind.status) {
        const what = `${kind.name}: ${response.status} ${response.code ?? ''}`
        unexpected[what] = (unexpected[what] ?? 0) + 1
      }
      return response
    },
  }
}

// The clients take turns, each with its own address.
function createClients(addresses: number): { readonly sent: number; next(): CallOptions } {
  const agent = new http.Agent({ keepAlive: true, maxSockets: 32 })
  let sent = 0
  return {
    get sent() {
      return sent
    },
    next() {
      const client = sent++ % addresses
      const address = `10.${client >> 16}.${(client >> 8) & 255}.${client & 255}`
      return { agent, headers: { 'X-Forwarded-For': address } }
    },
  }
}

// Every kind as evenly over the cycle as its share allows.
function spread(kinds: readonly Kind[]): Kind[] {
  return kinds
    .flatMap((kind) =>
      Array.from({ length: kind.share }, (_, index) => ({ kind, at: (index + 0.5) / kind.share })),
    )
    .toSorted((a, b) => a.at - b.at)
    .map(({ kind }) => kind)
}
