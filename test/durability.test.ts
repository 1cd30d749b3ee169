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
    // Read on, or the pipe fills and the service waits.
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

function create(url: string, slug: string): Promise<Response> {
  return fetch(`${url}/api/posts`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ title: slug, body: 'x', status: 'draft', slug, tags: [] }),
  })
}

async function readIds(url: string): Promise<Set<string>> {
  const ids = new Set<string>()
  for (let page = 1; ; page++) {
    const answer = await fetch(`${url}/api/posts?limit=100&page=${page}`)
    const { data } = (await answer.json()) as { data: { id: string }[] }
    if (data.length === 0) return ids
    for (const { id } of data) ids.add(id)
  }
}

describe('the embedded database of a service', () => {
  it('has the data after a restart', async () => {
    const folder = await makeFolder()
    const first = await startBlog(folder)
    const answer = await create(first.url, 'kept')
    const { data } = (await answer.json()) as { data: { id: string } }
    expect(await stop(first.child, 'SIGTERM')).toBe(0)
    const second = await startBlog(folder)
    expect(await readIds(second.url)).toEqual(new Set([data.id]))
    expect(await stop(second.child, 'SIGINT')).toBe(0)
  })

  it('AVL-10 has every acknowledged write after SIGKILL', async () => {
    const folder = await makeFolder()
    const acknowledged = new Set<string>()
    for (let round = 0; round < 2; round++) {
      const { child, url } = await startBlog(folder)
      const kill = new AbortController()
      const writers = Array.from({ length: 8 }, async (_, writer) => {
        for (let number = 0; !kill.signal.aborted; number++) {
          try {
            const answer = await create(url, `r${round}-w${writer}-n${number}`)
            if (answer.status !== 201) throw new Error(`status ${answer.status}`)
            const { data } = (await answer.json()) as { data: { id: string } }
            acknowledged.add(data.id)
          } catch (error) {
            if (!kill.signal.aborted) throw error
          }
        }
      })
      // At a moment that falls between any two steps of a write.
      while (acknowledged.size < (round + 1) * 60)
        await new Promise((resolve) => setTimeout(resolve, 7))
      kill.abort()
      await stop(child, 'SIGKILL')
      await Promise.all(writers)
    }
    const { child, url } = await startBlog(folder)
    const found = await readIds(url)
    expect([...acknowledged].filter((id) => !found.has(id))).toEqual([])
    await stop(child, 'SIGTERM')
  })
})
