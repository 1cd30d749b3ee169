import {
  type ApiClient,
  type Call,
  type ClientOptions,
  createApiClient,
  Failure,
} from '@create-api/client'

declare const origin: string

// The program of the page, bundled for the browser. The tests call `tab` in each page.
interface NotesClient extends ApiClient {
  readonly auth: {
    register(body: { email: string; password: string }): Call<unknown>
  }
  readonly notes: {
    list(): Call<{ data: string[] }>
    count(): Call<{ count: number }>
    create(body: { text: string }): Call<{ text: string }>
  }
}

function createNotesClient(options: ClientOptions): NotesClient {
  return createApiClient<NotesClient>(
    {
      auth: {
        register: { method: 'POST', path: '/api/v1/auth/register', body: 'application/json' },
      },
      notes: {
        list: { method: 'GET', path: '/api/notes' },
        count: { method: 'GET', path: '/api/notes/count', data: 'data' },
        create: {
          method: 'POST',
          path: '/api/notes',
          body: 'application/json',
          data: 'data',
          idempotent: true,
        },
      },
    },
    options,
  )
}

let client: NotesClient
let logouts: string[] = []

/** What the tests do in a page. */
export const tab = {
  /** Creates the client. */
  open(options: Pick<ClientOptions, 'storage' | 'retries'>): void {
    logouts = []
    client = createNotesClient({
      url: origin,
      ...options,
      onLogout: (reason) => void logouts.push(reason),
    })
  },
  async register(email: string): Promise<void> {
    await client.auth.register({ email, password: 'correct horse battery staple' })
  },
  logout: (): Promise<void> => client.session.logout(),
  isLoggedIn: (): Promise<boolean> => client.session.isLoggedIn(),
  /** Sends requests one after the other, every fifth one a new note; returns the codes of those that failed. */
  async run(name: string, count: number, pause: number): Promise<Record<string, number>> {
    const failed: Record<string, number> = {}
    for (let index = 0; index < count; index += 1) {
      const call =
        index % 5 === 4 ? client.notes.create({ text: `${name} ${index}` }) : client.notes.list()
      const { code } = await call.then(() => ({ code: undefined }), toCode)
      if (code !== undefined) failed[code] = (failed[code] ?? 0) + 1
      await new Promise((resolve) => setTimeout(resolve, pause))
    }
    return failed
  },
  /** Sends requests at the same time; returns the number of those that succeeded. */
  async burst(count: number): Promise<number> {
    const calls = Array.from({ length: count }, () => client.notes.list().safe())
    return (await Promise.all(calls)).filter(({ ok }) => ok).length
  },
  /** The number of notes, and of those that differ. */
  async count(): Promise<{ all: number; different: number }> {
    const { count } = await client.notes.count()
    return { all: count, different: (await client.notes.list()).data.length }
  },
  /** Why the session ended, as `onLogout` was told. */
  readLogouts: (): string[] => logouts,
}

function toCode(error: unknown): { code: string } {
  return { code: error instanceof Failure ? error.code : String(error) }
}

Object.assign(globalThis, { tab })
