import { setTimeout as sleep } from 'node:timers/promises'
import { type Reply, call } from '../client.ts'
import { type HurtDatabase, startHurtDatabase } from '../database.ts'
import { createHistory, type History } from '../history.ts'
import { exactly, type Figure, type Scenario, within } from '../scenario.ts'
import { type ServiceProcess, startService } from '../service-process.ts'

/** What clients received, and may rely on. */
interface Acknowledged {
  readonly emails: Set<string>
  readonly notes: Set<string>
  /** Newest refresh token of each strand. */
  readonly tokens: Map<number, string>
}

const strands = 6
const password = 'TestRiver42!'

/** The service is killed at random moments under writes. */
export const kill: Scenario = {
  id: 'F-04',
  title: 'kill -9 of the service mid-write',
  async run(length) {
    const kills = length === 'long' ? 200 : 4
    const database = await startHurtDatabase()
    const history = createHistory()
    const received: Acknowledged = { emails: new Set(), notes: new Set(), tokens: new Map() }
    let slowestStart = 0
    for (let round = 0; round <= kills; round++) {
      const begun = performance.now()
      const service = await startService({ MONGODB_URI: database.uri })
      slowestStart = Math.max(slowestStart, performance.now() - begun)
      const end = new AbortController()
      const work = history.inStrands(strands, end.signal, (strand) =>
        useOnce(service, { history, received, strand, round }),
      )
      await sleep(500 + Math.random() * 1500)
      // The last round ends well, so that the refresh tokens are tried.
      service.child.kill(round < kills ? 'SIGKILL' : 'SIGTERM')
      end.abort()
      await Promise.all([work, service.exit])
    }
    const figures = await check(database, received)
    await database.stop()
    const failures = history.operations.filter(({ response }) => (response?.status ?? 0) >= 500)
    return [
      within('slowest start', slowestStart, 5000),
      exactly('responses of 5xx', failures.length, 0),
      ...figures,
    ]
  },
}

let counter = 0

interface Use {
  readonly history: History
  readonly received: Acknowledged
  readonly strand: number
  readonly round: number
}

// Writes a note, then refreshes the session, or registers where there is none.
async function useOnce({ url }: ServiceProcess, { history, received, strand }: Use): Promise<void> {
  const post = (name: string, path: string, body: object): Promise<Reply | undefined> =>
    history.note(name, () => call(url + path, { method: 'POST', body }))
  const text = `note ${counter++}`
  if ((await post('note', '/api/notes', { text }))?.status === 201) received.notes.add(text)
  const refreshToken = received.tokens.get(strand)
  if (refreshToken === undefined) {
    const email = `user${counter++}@example.org`
    const response = await post('register', '/api/v1/auth/register', { email, password })
    if (response?.status !== 201) return
    received.emails.add(email)
    received.tokens.set(strand, String(response.data?.['refreshToken']))
    return
  }
  const response = await post('refresh', '/api/v1/auth/refresh-token', { refreshToken })
  if (response?.status === 200) received.tokens.set(strand, String(response.data?.['refreshToken']))
  // The response may be lost although the token was rotated: then a new login is due.
  else if (response === undefined || response.status === 401) received.tokens.delete(strand)
}

async function check({ connection }: HurtDatabase, received: Acknowledged): Promise<Figure[]> {
  const users = await connection.collection('users').find().toArray()
  const sessions = await connection.collection('sessions').find().toArray()
  const notes = await connection.collection('notes').find().toArray()
  const emails = users.map(({ email }) => String(email))
  const ids = new Set(users.map(({ _id }) => String(_id)))
  const texts = new Set(notes.map(({ text }) => String(text)))
  return [
    exactly(
      'users without a hash',
      users.filter(({ passwordHash }) => !String(passwordHash).startsWith('$argon2id$')).length,
      0,
    ),
    exactly('e-mail addresses twice', emails.length - new Set(emails).size, 0),
    exactly(
      'sessions without a user',
      sessions.filter(({ userId }) => !ids.has(String(userId))).length,
      0,
    ),
    exactly('notes twice', notes.length - texts.size, 0),
    exactly(
      'acknowledged users lost',
      [...received.emails].filter((email) => !emails.includes(email)).length,
      0,
    ),
    exactly(
      `acknowledged notes lost, of ${received.notes.size}`,
      [...received.notes].filter((text) => !texts.has(text)).length,
      0,
    ),
  ]
}
