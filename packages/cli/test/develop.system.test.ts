import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { appendFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createApiProgram } from '../src/lib/programs/api-program.ts'
import { buildProgram } from './built-modules.ts'
import { createLinkedProject, sourceEnv } from './linked-project.ts'
import { createProject, runProgram } from './run-program.ts'

const program = buildProgram()

interface Development {
  readonly child: ChildProcess
  /** Everything printed so far. */
  readonly printed: () => string
  /** Waits until a text is printed that was not printed before the last call. */
  readonly waitFor: (text: RegExp) => Promise<string>
  /** Waits for the exit code. */
  readonly end: () => Promise<number | null>
}

function startDevelopment(root: string, env: Readonly<Record<string, string>> = {}): Development {
  const child = spawn(process.execPath, [program, 'dev'], {
    cwd: root,
    env: {
      ...process.env,
      NODE_ENV: 'development',
      NO_COLOR: '1',
      PORT: '0',
      ...sourceEnv,
      ...env,
    },
  })
  const ended = once(child, 'close')
  onTestFinished(async () => {
    child.kill('SIGTERM')
    await ended
  })
  let printed = ''
  let seen = 0
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => (printed += text))
  }
  return {
    child,
    printed: () => printed,
    async waitFor(text) {
      for (;;) {
        const match = text.exec(printed.slice(seen))
        if (match) {
          seen += match.index + match[0].length
          return match[0]
        }
        if (child.exitCode !== null) throw new Error(`ended without ${String(text)}:\n${printed}`)
        await new Promise((resolve) => setTimeout(resolve, 20))
      }
    },
    async end() {
      const [code] = await ended
      return code
    },
  }
}

async function waitForAddress(development: Development): Promise<string> {
  const line = await development.waitFor(/serves http:\/\/localhost:\d+/)
  return line.replace('serves ', '')
}

function isServed(url: string): Promise<boolean> {
  return fetch(url).then(
    () => true,
    () => false,
  )
}

describe('api dev', () => {
  it('starts the service again after a change, and stops it on a signal', async () => {
    const root = await createLinkedProject()
    const development = startDevelopment(root)
    const first = await waitForAddress(development)
    await runProgram(createApiProgram, ['generate', 'resource', 'posts', 'title'], { cwd: root })
    await development.waitFor(/restarting after a change of src\/\S+ and \d+ more/)
    const second = await waitForAddress(development)
    expect(await isServed(first)).toBe(false)
    expect((await fetch(`${second}/api/posts`)).status).toBe(200)

    // The next process has been prepared by then, or not.
    let last = second
    for (const pause of [0, 2500]) {
      await new Promise((resolve) => setTimeout(resolve, pause))
      appendFileSync(join(root, 'src/resources/posts/posts.service.ts'), '\n')
      await development.waitFor(/after a change of src\/resources\/posts\/posts\.service\.ts$/m)
      last = await waitForAddress(development)
      expect((await fetch(`${last}/health/ready`)).status).toBe(200)
    }
    development.child.kill('SIGTERM')
    expect(await development.end()).toBe(0)
    expect(await isServed(last)).toBe(false)
    expect(development.printed()).not.toContain('exited')
  })

  it('ignores tests and files that are not code', async () => {
    const root = await createLinkedProject(['posts title:string'])
    const development = startDevelopment(root)
    await waitForAddress(development)
    for (const name of ['posts.test.ts', '.posts.ts.swp', 'notes.md']) {
      appendFileSync(join(root, 'src/resources/posts', name), '\n')
    }
    mkdirSync(join(root, 'src/empty'))
    await new Promise((resolve) => setTimeout(resolve, 500))
    appendFileSync(join(root, 'src/app.ts'), '\n')
    await waitForAddress(development)
    expect(development.printed().match(/restarting.*/g)).toEqual([
      'restarting after a change of src/app.ts',
    ])
  })

  it('waits for a change when the service does not start', async () => {
    const root = await createLinkedProject()
    const app = join(root, 'src/app.ts')
    const text = readFileSync(app, 'utf8')
    writeFileSync(app, `${text}const\n`)
    const development = startDevelopment(root)
    await development.waitFor(/the service exited with code 1; it starts again after a change/)
    writeFileSync(app, text)
    const url = await waitForAddress(development)
    expect(await isServed(url)).toBe(true)
  })

  it('reads .env again after it has changed', async () => {
    const root = await createLinkedProject()
    const development = startDevelopment(root)
    await waitForAddress(development)
    // Prepared with the settings before.
    await new Promise((resolve) => setTimeout(resolve, 2500))
    appendFileSync(join(root, '.env'), '\nRATE_LIMIT=1\n')
    await development.waitFor(/after a change of \.env$/m)
    const url = await waitForAddress(development)
    const responses = [await fetch(`${url}/api/none`), await fetch(`${url}/api/none`)]
    expect(responses.map(({ status }) => status)).toEqual([404, 429])
  })

  it('kills a service that does not shut down', async () => {
    const root = await createLinkedProject()
    const server = join(root, 'src/server.ts')
    writeFileSync(server, `console.log('busy')\nfor (;;);\n`)
    const development = startDevelopment(root)
    await development.waitFor(/busy/)
    writeFileSync(server, `console.log('idle')\nsetInterval(() => undefined, 1000)\n`)
    await development.waitFor(/idle/)
    development.child.kill('SIGINT')
    expect(await development.end()).toBe(0)
  })

  it('stops the service when it is killed itself', async () => {
    const root = await createLinkedProject()
    const development = startDevelopment(root)
    const url = await waitForAddress(development)
    development.child.kill('SIGKILL')
    await expect.poll(() => isServed(url)).toBe(false)
  })

  it('runs several workers, which do not wait for it', async () => {
    const root = await createLinkedProject()
    const development = startDevelopment(root, { WORKERS: '2' })
    const url = await waitForAddress(development)
    expect((await fetch(`${url}/health/ready`)).status).toBe(200)
    development.child.kill('SIGTERM')
    expect(await development.end()).toBe(0)
    expect(await isServed(url)).toBe(false)
  })

  it('says what is missing', async () => {
    const root = await createProject()
    const dev = (): Promise<{ readonly code: number; readonly stderr: string }> =>
      runProgram(createApiProgram, ['dev'], { cwd: root })
    expect(await dev()).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/the dependencies are not installed\n {2}npm install/),
    })
    rmSync(join(root, 'src/server.ts'))
    expect(await dev()).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('src/server.ts is missing'),
    })
  })

  const limit = 'echo 1 > /proc/sys/user/max_inotify_watches && exec "$@"'
  const canLimit = spawnSync('unshare', ['-r', 'sh', '-c', limit, 'sh', 'true']).status === 0
  it.runIf(canLimit)('suggests a fix when the system allows no more watchers', async () => {
    const root = await createLinkedProject()
    const { status, stderr } = spawnSync(
      'unshare',
      ['-r', 'sh', '-c', limit, 'sh', process.execPath, program, 'dev'],
      {
        cwd: root,
        env: { ...process.env, NODE_ENV: 'development', PORT: '0', ...sourceEnv },
        timeout: 60_000,
      },
    )
    expect(stderr.toString()).toMatch(
      /error: the system allows no more file watchers\n.*fs\.inotify\.max_user_watches/,
    )
    expect(status).toBe(1)
  })
})
