import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { findFreePort } from '../../../packages/core/test/free-port.ts'
import { type Certificate } from '../../../packages/core/test/limits/certificate.ts'

/** Whether the machine can run a Redis; CI installs one. */
export const hasRedis = spawnSync('redis-server', ['--version']).status === 0
if (!hasRedis) {
  process.stderr.write(
    'Tests with Redis are skipped: redis-server is not installed (apt-get install redis-server).\n',
  )
}

/** A separate Redis, on one port for its whole life. */
export interface RedisServer {
  readonly url: string
  /** Starts it, or starts it again with nothing in it. */
  start(): Promise<void>
  /** Ends it at once. */
  kill(): Promise<void>
  /** Lets it accept and never respond. */
  freeze(): void
  /** Lets it respond again. */
  thaw(): void
  /** Ends it for good. */
  remove(): Promise<void>
}

/** Options for {@link createRedisServer}. */
export interface RedisServerOptions {
  /** What it shows to those who connect; without one it speaks no TLS. */
  readonly certificate?: Certificate
  /** What it asks of those who connect. */
  readonly password?: string
}

/**
 * Makes a Redis on a free port, not started.
 * @param options - certificate and password
 * @returns the server
 */
export async function createRedisServer(options: RedisServerOptions = {}): Promise<RedisServer> {
  const { certificate, password } = options
  const port = await findFreePort()
  const user = password === undefined ? '' : `:${password}@`
  const folder = await mkdtemp(path.join(tmpdir(), 'redis-'))
  let child: ChildProcess | undefined
  const server: RedisServer = {
    url: `${certificate ? 'rediss' : 'redis'}://${user}127.0.0.1:${port}`,
    async start() {
      const settings = ['--bind', '127.0.0.1', '--save', '', '--appendonly', 'no', '--dir', folder]
      if (password !== undefined) settings.push('--requirepass', password)
      child = spawn('redis-server', [...toListen(port, certificate), ...settings])
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

function toListen(port: number, certificate: Certificate | undefined): string[] {
  if (certificate === undefined) return ['--port', String(port)]
  const files = ['--tls-cert-file', certificate.cert, '--tls-key-file', certificate.key]
  return ['--port', '0', '--tls-port', String(port), '--tls-auth-clients', 'no', ...files]
}

async function untilReady(child: ChildProcess): Promise<void> {
  let output = ''
  for await (const chunk of child.stdout ?? []) {
    output += String(chunk)
    if (output.includes('Ready to accept connections')) return
  }
  throw new Error(`redis-server did not start: ${output}`)
}
