import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { findFreePort } from '../free-port.ts'

/** Whether the machine can run a Redis; CI installs one. */
export const hasRedis = spawnSync('redis-server', ['--version']).status === 0
if (!hasRedis) {
  process.stderr.write(
    'Tests with Redis are skipped: redis-server is not installed (apt-get install redis-server).\n',
  )
}

/** A Redis of its own, on one port for its whole life. */
export interface RedisServer {
  readonly url: string
  /** Starts it, or starts it again with nothing in it. */
  start(): Promise<void>
  /** Ends it at once. */
  kill(): Promise<void>
  /** Lets it accept and never answer. */
  freeze(): void
  /** Lets it answer again. */
  thaw(): void
  /** Ends it for good. */
  remove(): Promise<void>
}

/**
 * Makes a Redis on a free port, not started.
 * @param args - further arguments of `redis-server`
 * @returns the server
 */
export async function createRedisServer(args: readonly string[] = []): Promise<RedisServer> {
  const port = await findFreePort()
  const folder = await mkdtemp(path.join(tmpdir(), 'redis-'))
  let child: ChildProcess | undefined
  const server: RedisServer = {
    url: `redis://127.0.0.1:${port}`,
    async start() {
      const settings = ['--bind', '127.0.0.1', '--save', '', '--appendonly', 'no', '--dir', folder]
      child = spawn('redis-server', ['--port', String(port), ...settings, ...args])
      await untilReady(child)
    },
    async kill() {
      if (!child || child.exitCode !== null || child.signalCode !== null) return
      child.kill('SIGKILL')
      await once(child, 'exit')
    },
    freeze: () => void child?.kill('SIGSTOP'),
    thaw: () => void child?.kill('SIGCONT'),
    async remove() {
      await server.kill()
      await rm(folder, { recursive: true, force: true })
    },
  }
  return server
}

async function untilReady(child: ChildProcess): Promise<void> {
  let output = ''
  for await (const chunk of child.stdout ?? []) {
    output += String(chunk)
    if (output.includes('Ready to accept connections')) return
  }
  throw new Error(`redis-server did not start: ${output}`)
}
