import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { afterAll, describe, expect, it } from 'vitest'

const root = path.resolve(import.meta.dirname, '../..')
const readme = readFileSync(path.join(root, 'README.md'), 'utf8')
const [first = '', second = '', third = ''] = [...readme.matchAll(/```sh\n([\s\S]*?)```/g)].map(
  (match) => match[1] ?? '',
)
const folder = mkdtempSync(path.join(tmpdir(), 'readme-'))
const clone = path.join(folder, 'create-api')
const running: ChildProcess[] = []

afterAll(() => {
  for (const { pid } of running) if (pid) killGroup(pid, 'SIGKILL')
  rmSync(folder, { recursive: true, force: true })
})

function killGroup(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-pid, signal)
  } catch {
    // It has ended.
  }
}

// What a clone of the present state holds: no dist, no node_modules.
function makeClone(): void {
  const files = execFileSync('git', ['ls-files', '-z', '-co', '--exclude-standard'], { cwd: root })
  for (const file of files.toString().split('\0').filter(Boolean)) {
    cpSync(path.join(root, file), path.join(clone, file))
  }
}

async function findFreePort(): Promise<string> {
  const server = createServer().listen(0)
  await once(server, 'listening')
  const address = server.address()
  server.close()
  await once(server, 'close')
  return String(typeof address === 'object' ? address?.port : address)
}

// As a person in a terminal: bash, and nothing of this test runner in the environment.
function run(command: string, environment: Record<string, string> = {}): ChildProcess {
  const { PATH = '', HOME = '', CI } = process.env
  const child = spawn('bash', ['-c', command], {
    cwd: clone,
    detached: true,
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { PATH, HOME, ...(CI ? { CI } : {}), ...environment },
  })
  running.push(child)
  return child
}

async function waitForUrl(child: ChildProcess): Promise<string> {
  const lines: string[] = []
  for await (const line of createInterface({ input: child.stdout ?? process.stdin })) {
    lines.push(line)
    const url = /http:\/\/localhost:\d+/.exec(line)?.[0]
    if (!url || !line.includes('serves')) continue
    child.stdout?.resume()
    return url
  }
  throw new Error(`The command ended before anything was served:\n${lines.join('\n')}`)
}

describe('README', () => {
  it('sets up and runs the main job with its first command', async () => {
    makeClone()
    const port = await findFreePort()
    const child = run(first, { PORT: port })
    const url = await waitForUrl(child)
    expect(url).toBe(`http://localhost:${port}`)

    const curl = third.replaceAll('localhost:3000', `localhost:${port}`)
    const answer = JSON.parse(execFileSync('bash', ['-c', `${curl.trim()} --silent`]).toString())
    expect(answer.data).toMatchObject({ title: 'Hello', body: 'World', published: false })
    const list = await fetch(`${url}/api/posts`)
    expect(await list.json()).toMatchObject({ data: [{ id: answer.data.id }], meta: { total: 1 } })

    const exit = once(child, 'exit')
    killGroup(child.pid ?? 0, 'SIGINT')
    await exit
    await expect(fetch(url)).rejects.toThrow()
  })

  // The gate runs the same command for everything; here it has to work in a fresh clone.
  it('runs tests with its second command', async () => {
    expect(second).toBe('npm test\n')
    const child = run(`${second.trim()} -- examples/ test/user-session`)
    child.stdout?.pipe(process.stdout, { end: false })
    expect(await once(child, 'exit')).toEqual([0, null])
  })
})
