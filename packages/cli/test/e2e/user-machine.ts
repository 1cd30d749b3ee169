import {
  type ChildProcess,
  type ChildProcessWithoutNullStreams,
  execFile,
  spawn,
} from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const checkout = fileURLToPath(new URL('../../../..', import.meta.url))

/** How a command ended. */
export interface Ended {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

/** A program that serves. */
export interface Service {
  readonly url: string
  /** Waits until it serves again after a restart. */
  readonly restarted: () => Promise<void>
  /** Ends it and everything it started; gives its exit code. */
  readonly stop: () => Promise<number | null>
}

/** The machine of a user: a separate home, nothing cached, and of this test's environment only the certificates. */
export interface Machine {
  readonly folder: string
  /** Runs a line as somebody types it in bash. */
  readonly run: (line: string, cwd: string) => Promise<Ended>
  /** Starts a service and waits until it says where it serves. */
  readonly serve: (line: string, cwd: string, env?: Record<string, string>) => Promise<Service>
  /** Ends what a failed test has left running. */
  readonly shutDown: () => void
}

/**
 * Sets a machine up.
 *
 * @param folder an empty folder for everything it keeps
 * @param registry address of the package registry
 * @param path folders with commands, before those of the system
 * @returns the machine
 */
export function createMachine(folder: string, registry: string, path: readonly string[]): Machine {
  const home = join(folder, 'home')
  const temporary = join(folder, 'tmp')
  for (const own of [home, temporary]) mkdirSync(own, { recursive: true })
  writeFileSync(join(home, '.npmrc'), `registry=${registry}/\nupdate-notifier=false\n`)
  writeFileSync(join(home, '.gitconfig'), '[user]\n  name = User\n  email = user@example.org\n')
  // A test that runs from a checkout has its commands on the path; a user does not.
  const inherited = (process.env['PATH'] ?? '').split(delimiter)
  const foreign = inherited.filter((entry) => !entry.startsWith(checkout))
  const env = {
    PATH: [...path, ...foreign].join(delimiter),
    HOME: home,
    TMPDIR: temporary,
    YARN_REGISTRY: registry,
    YARN_PREFIX: join(home, 'yarn'),
    YARN_GLOBAL_FOLDER: join(home, 'yarn', 'global'),
    BUN_CONFIG_REGISTRY: registry,
    // A proxy between this machine and the registry may need them.
    NODE_EXTRA_CA_CERTS: process.env['NODE_EXTRA_CA_CERTS'],
  }
  const started: ChildProcess[] = []
  return {
    folder,
    shutDown: () => started.forEach((child) => killGroup(child, 'SIGKILL')),
    run: (line, cwd) =>
      new Promise((done) => {
        const options = { cwd, env, maxBuffer: 64 * 1024 * 1024 }
        execFile('bash', ['-c', line], options, (error, stdout, stderr) => {
          done({ code: Number(error?.code ?? 0), stdout, stderr })
        })
      }),
    serve: async (line, cwd, extra = {}) => {
      const all = { ...env, PORT: await findFreePort(), ...extra }
      const child = spawn('bash', ['-c', line], { cwd, env: all, detached: true })
      started.push(child)
      return toService(line, child)
    },
  }
}

function killGroup({ pid, exitCode, signalCode }: ChildProcess, signal: NodeJS.Signals): void {
  if (pid !== undefined && exitCode === null && signalCode === null) process.kill(-pid, signal)
}

async function toService(line: string, child: ChildProcessWithoutNullStreams): Promise<Service> {
  const closed = once(child, 'close')
  let output = ''
  const served = (times: number): Promise<string> =>
    new Promise((done, fail) => {
      const look = (): void => {
        // A line for people, or one of the log in production.
        const found = [...output.matchAll(/serves (http:\S+)|"url":"(http:[^"]+)"/g)]
        const last = found.at(-1)
        if (last !== undefined && found.length >= times) done(last[1] ?? last[2] ?? '')
      }
      child.stdout.on('data', look)
      const giveUp = (): void => fail(new Error(`"${line}" does not serve:\n${output}`))
      child.on('close', giveUp)
      setTimeout(giveUp, 300_000).unref()
      look()
    })
  child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()))
  child.stderr.on('data', (chunk: Buffer) => (output += chunk.toString()))
  const url = await served(1)
  return {
    url,
    restarted: async () => void (await served(2)),
    async stop() {
      killGroup(child, 'SIGINT')
      const [code] = await closed
      return code
    },
  }
}

async function findFreePort(): Promise<string> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  await once(server, 'close')
  return String(typeof address === 'object' ? address?.port : '')
}
