import http from 'node:http'
import { type Answer, call, type CallOptions } from './client.ts'

/** What many clients of one service do, each behind an address of its own. */
export interface Traffic {
  /** How many requests were sent so far. */
  readonly sent: number
  /** How many answers had a status other than the one that was due, for each status. */
  readonly unexpected: Readonly<Record<number, number>>
  /** Sends the next request. */
  next(): Promise<Answer>
}

/** One kind of request. */
interface Kind {
  /** How many of 200 requests. */
  readonly share: number
  /** Status that is due. */
  readonly status: number
  send(options: CallOptions): Promise<Answer>
}

const firstUsers = 20
const sessionsKept = 500
const password = 'TestRiver42!'

/**
 * Makes the traffic of a soak: reads, writes, faults of clients, and users who come, stay and come
 * back.
 * @param url - of the service
 * @param addresses - how many clients there are
 * @returns the traffic, once there are a few users
 */
export async function createTraffic(url: string, addresses: number): Promise<Traffic> {
  const agent = new http.Agent({ keepAlive: true, maxSockets: 32 })
  const unexpected: Record<number, number> = {}
  // Who refreshes takes a session out and puts the next one in: no two use one token at a time.
  const sessions: string[] = []
  const emails: string[] = []
  let newestToken = ''
  let users = 0
  let logins = 0
  let sent = 0

  const get = (path: string, options: CallOptions): Promise<Answer> => call(url + path, options)
  const post = (path: string, body: object, options: CallOptions): Promise<Answer> =>
    call(url + path, { ...options, method: 'POST', body })

  async function enter(path: string, body: object, options: CallOptions): Promise<Answer> {
    const answer = await post(`/api/v1/auth/${path}`, body, options)
    if (answer.status >= 300) return answer
    newestToken = String(answer.data?.['accessToken'])
    sessions.push(String(answer.data?.['refreshToken']))
    if (sessions.length > sessionsKept) sessions.shift()
    return answer
  }

  async function register(options: CallOptions): Promise<Answer> {
    const email = `user${users++}@example.org`
    const answer = await enter('register', { email, password }, options)
    emails.push(email)
    return answer
  }

  const kinds: readonly Kind[] = [
    { share: 1, status: 201, send: register },
    {
      share: 1,
      status: 200,
      send: (options) =>
        enter('login', { email: emails[logins++ % emails.length], password }, options),
    },
    {
      share: 8,
      status: 200,
      send: (options) => enter('refresh-token', { refreshToken: sessions.shift() }, options),
    },
    {
      share: 30,
      status: 200,
      send: (options) => get('/api/v1/auth/me', { ...options, token: newestToken }),
    },
    {
      share: 20,
      status: 201,
      send: (options) => post('/api/notes', { text: `note ${sent % 1000}` }, options),
    },
    { share: 80, status: 200, send: (options) => get('/api/notes', options) },
    { share: 45, status: 200, send: (options) => get('/api/trouble/wait/5', options) },
    { share: 5, status: 422, send: (options) => post('/api/notes', { text: 1 }, options) },
    { share: 5, status: 401, send: (options) => get('/api/v1/auth/me', options) },
    { share: 5, status: 404, send: (options) => get('/api/nothing', options) },
  ]
  const cycle = spread(kinds)

  function fromNextClient(): CallOptions {
    const client = sent++ % addresses
    const address = `10.${client >> 16}.${(client >> 8) & 255}.${client & 255}`
    return { agent, headers: { 'X-Forwarded-For': address } }
  }

  await Promise.all(Array.from({ length: firstUsers }, () => register(fromNextClient())))
  return {
    unexpected,
    get sent() {
      return sent
    },
    async next() {
      const kind = cycle[sent % cycle.length]
      if (kind === undefined) throw new Error('There is no traffic to send.')
      const answer = await kind.send(fromNextClient())
      if (answer.status !== kind.status) {
        unexpected[answer.status] = (unexpected[answer.status] ?? 0) + 1
      }
      return answer
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
