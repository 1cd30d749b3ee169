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
    // The process has already exited.
  }
}

// The files of a clone of the current state: no dist, no node_modules.
function createClone(): void {
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

// Like a user in a terminal: bash, without the environment of this test runner.
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
  throw new Error(`The command exited before the service was started:\n${lines.join('\n')}`)
}

describe('README', () => {
  it('sets up and starts a service with its first command', async () => {
    createClone()
    const port = await findFreePort()
    const child = run(first, { PORT: port })
    const url = await waitForUrl(child)
    expect(url).toBe(`http://localhost:${port}`)

    const curl = third.replaceAll('localhost:3000', `localhost:${port}`)
    const response = JSON.parse(execFileSync('bash', ['-c', `${curl.trim()} --silent`]).toString())
    expect(response.data).toMatchObject({ title: 'Hello', body: 'World', published: false })
    const list = await fetch(`${url}/api/posts`)
    expect(await list.json()).toMatchObject({
      data: [{ id: response.data.id }],
      meta: { total: 1 },
    })

    const exit = once(child, 'exit')
    killGroup(child.pid ?? 0, 'SIGINT')
    await exit
    await expect(fetch(url)).rejects.toThrow()
  })

  // `npm run check` runs all tests; this only shows that the command works in a new clone.
  it('runs tests with its second command', async () => {
    expect(second).toBe('npm test\n')
    const child = run(`${second.trim()} -- examples/ test/user-session 2>&1`)
    child.stdout?.pipe(process.stdout, { end: false })
    expect(await once(child, 'close')).toEqual([0, null])
  })
})
