import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { afterEach, describe, expect, it } from 'vitest'

const root = path.resolve(import.meta.dirname, '..')
const folders: string[] = []
const running: ChildProcess[] = []

afterEach(async () => {
  for (const child of running.splice(0)) child.kill('SIGKILL')
  for (const folder of folders.splice(0)) await rm(folder, { recursive: true, force: true })
})

async function makeFolder(): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), 'blog-'))
  folders.push(folder)
  return folder
}

// The generated service as its own process, from source, on a free port.
async function startBlog(folder: string): Promise<{ child: ChildProcess; url: string }> {
  const child = spawn(process.execPath, ['--import', 'tsx', 'examples/blog/src/server.ts'], {
    cwd: root,
    env: {
      ...process.env,
      NODE_OPTIONS: '--conditions=@create-api/source',
      NODE_ENV: 'development',
      PORT: '0',
      MONGODB_URI: `embedded:${folder}`,
      RATE_LIMIT: '1000000',
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  running.push(child)
  for await (const line of createInterface({ input: child.stdout ?? process.stdin })) {
    const url = /http:\/\/localhost:\d+/.exec(line)?.[0]
    if (!url) continue
    // Keep reading, or the pipe fills up and the service blocks.
    child.stdout?.resume()
    return { child, url }
  }
  throw new Error('The service ended before it listened.')
}

async function stop(child: ChildProcess, signal: NodeJS.Signals): Promise<number | null> {
  const exit = once(child, 'exit')
  child.kill(signal)
  const [code] = await exit
  return code
}

interface Session {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly author: string
}

async function post(url: string, headers: Session['headers'], body: object): Promise<Response> {
  return fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  })
}

async function readData(response: Response): Promise<Record<string, string>> {
  const { data } = (await response.json()) as { data: Record<string, string> }
  return data
}

// Posts of the blog belong to a user and refer to an author.
async function enter(url: string, action: 'register' | 'login'): Promise<Session> {
  const credentials = { email: 'ada@example.org', password: 'correct horse battery staple' }
  const granted = await readData(await post(`${url}/api/v1/auth/${action}`, {}, credentials))
  const headers = { authorization: `Bearer ${granted['accessToken']}` }
  const author = await readData(await post(`${url}/api/authors`, headers, { name: 'Ada' }))
  return { url, headers, author: author['id'] ?? '' }
}

function create({ url, headers, author }: Session, slug: string): Promise<Response> {
  const input = { title: slug, body: 'x', status: 'draft', slug, tags: [], author }
  return post(`${url}/api/posts`, headers, input)
}

async function readIds({ url, headers }: Session): Promise<Set<string>> {
  const ids = new Set<string>()
  for (let page = 1; ; page++) {
    const response = await fetch(`${url}/api/posts?limit=100&page=${page}`, { headers })
    const { data } = (await response.json()) as { data: { id: string }[] }
    if (data.length === 0) return ids
    for (const { id } of data) ids.add(id)
  }
}

describe('the embedded database of a service', () => {
  it('keeps its data after a restart', async () => {
    const folder = await makeFolder()
    const first = await startBlog(folder)
    const kept = await readData(await create(await enter(first.url, 'register'), 'kept'))
    expect(await stop(first.child, 'SIGTERM')).toBe(0)
    const second = await startBlog(folder)
    expect(await readIds(await enter(second.url, 'login'))).toEqual(new Set([kept['id']]))
    expect(await stop(second.child, 'SIGINT')).toBe(0)
  })

  it('AVL-10 keeps every acknowledged write after SIGKILL', async () => {
    const folder = await makeFolder()
    const acknowledged = new Set<string>()
    for (let round = 0; round < 2; round++) {
      const { child, url } = await startBlog(folder)
      const session = await enter(url, round === 0 ? 'register' : 'login')
      const kill = new AbortController()
      const writers = Array.from({ length: 8 }, async (_, writer) => {
        for (let number = 0; !kill.signal.aborted; number++) {
          try {
            const response = await create(session, `r${round}-w${writer}-n${number}`)
            if (response.status !== 201) throw new Error(`status ${response.status}`)
            acknowledged.add((await readData(response))['id'] ?? '')
          } catch (error) {
            if (!kill.signal.aborted) throw error
          }
        }
      })
      // The time is random, so the kill can occur between any two steps of a write.
      const enough = async (): Promise<void> => {
        while (acknowledged.size < (round + 1) * 60 && !kill.signal.aborted)
          await new Promise((resolve) => setTimeout(resolve, 7))
      }
      // A writer stops earlier only if it fails.
      await Promise.race([enough(), ...writers]).finally(() => kill.abort())
      await stop(child, 'SIGKILL')
      await Promise.all(writers)
    }
    const { child, url } = await startBlog(folder)
    const found = await readIds(await enter(url, 'login'))
    expect([...acknowledged].filter((id) => !found.has(id))).toEqual([])
    await stop(child, 'SIGTERM')
  })
})
