import { type ChildProcess, execFile, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, existsSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { isDeepStrictEqual, promisify } from 'node:util'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createProject, createTemporaryFolder, readTree } from '../run-program.ts'

const run = promisify(execFile)
const api = fileURLToPath(new URL('../../bin/api.js', import.meta.url))
const createApi = fileURLToPath(new URL('../../bin/create-api.js', import.meta.url))

const kills = Number(process.env['COMMAND_KILLS'] ?? 20)

async function killSoon(child: ChildProcess, within: number): Promise<void> {
  const timer = setTimeout(() => child.kill('SIGKILL'), Math.random() * within * 1.2)
  await once(child, 'close')
  clearTimeout(timer)
}

// The files of a project without what a killed run leaves and git ignores: drafts and the lock.
function readProject(root: string): Map<string, string> {
  const files = [...readTree(root)]
  return new Map(files.filter(([path]) => !/\.api-draft$|^\.api\/lock/.test(path)))
}

describe('api as a process', () => {
  it('prints its help and its version, and survives a reader that has seen enough', async () => {
    const { stdout } = await run(process.execPath, [api, '--help'])
    expect(stdout).toContain('generate, g')
    expect((await run(process.execPath, [api, '--version'])).stdout).toMatch(/^\d+\.\d+\.\d+\n$/)
    const closed = spawn(process.execPath, [api, 'completion', 'fish'])
    closed.stdout.destroy()
    const [code] = await once(closed, 'close')
    expect(code).toBe(0)
  })

  it('colours only for a reader that wants colours', async () => {
    const root = await createProject()
    const output = (env: Record<string, string>): string =>
      spawnSync(process.execPath, [api, 'g', 'resource', 'posts', '--dry-run'], {
        cwd: root,
        env: { PATH: process.env['PATH'], ...env },
        input: '',
      }).stdout.toString()
    expect(output({})).not.toContain('\u001B')
    expect(output({ FORCE_COLOR: '1' })).toContain('\u001B[32mcreate')
    expect(output({ FORCE_COLOR: '1', NO_COLOR: '1' })).not.toContain('\u001B')
    expect(output({ TERM: 'dumb' })).toContain('Post -> /api/posts')
  })

  it('GEN-03: runs nothing that a name or a field says', async () => {
    const root = await createProject()
    const before = readTree(root)
    for (const hostile of [
      'posts;touch PWNED',
      '$(touch PWNED)',
      '`touch PWNED`',
      '{{constructor}}',
    ]) {
      for (const args of [[hostile], ['posts', hostile]]) {
        const { status } = spawnSync(process.execPath, [api, 'g', 'resource', ...args], {
          cwd: root,
        })
        expect(status).toBe(2)
      }
    }
    const made = spawnSync(process.execPath, [createApi, '$(touch PWNED)', '--yes'], { cwd: root })
    expect(made.status).toBe(2)
    expect(readTree(root)).toEqual(before)
  })

  it('GEN-11: ten at once all land', async () => {
    const root = await createProject()
    const names = Array.from({ length: 10 }, (_, index) => `thing${'abcdefghij'[index] ?? ''}`)
    await Promise.all(
      names.map((name) => run(process.execPath, [api, 'g', 'resource', name], { cwd: root })),
    )
    const registry = readFileSync(join(root, 'src/routes.ts'), 'utf8')
    const manifest = JSON.parse(readFileSync(join(root, '.api/manifest.json'), 'utf8'))
    for (const name of names) expect(registry).toContain(`/api/${name}s', ${name}sRouter)`)
    expect(Object.keys(manifest.resources)).toHaveLength(10)
    const files = [...names.map((name) => `base/${name}s.json.gz`), 'base.json.gz', 'manifest.json']
    expect([...readTree(join(root, '.api')).keys()].toSorted()).toEqual(files.toSorted())
  })

  it.each([
    ['g', 'resource', 'tags'],
    ['destroy', 'resource', 'posts'],
    ['add', 'field', 'posts', 'price:number:min=0:optional'],
  ])(
    'GEN-05: killed at any moment, every file is as before or after, and destroy removes a part: %s %s',
    async (...command) => {
      const root = await createProject(['posts'])
      const pristine = createTemporaryFolder()
      cpSync(root, pristine, { recursive: true })
      const before = readTree(root)
      const began = performance.now()
      await run(process.execPath, [api, ...command], { cwd: root })
      const usual = performance.now() - began
      const after = readTree(root)
      for (let round = 0; round < kills; round += 1) {
        rmSync(root, { recursive: true })
        cpSync(pristine, root, { recursive: true })
        await killSoon(spawn(process.execPath, [api, ...command], { cwd: root }), usual)
        const tree = readProject(root)
        for (const path of new Set([...tree.keys(), ...before.keys(), ...after.keys()])) {
          const isWhole = [before.get(path), after.get(path)].includes(tree.get(path))
          expect({ path, isWhole }).toEqual({ path, isWhole: true })
        }
        // The lock of the killed run does not stop the next one.
        if (command[0] === 'g' && !isDeepStrictEqual(tree, before)) {
          const args = [api, 'destroy', 'resource', 'tags', '--force']
          await run(process.execPath, args, { cwd: root })
          expect(readProject(root)).toEqual(before)
        }
      }
    },
  )

  it('GEN-05: killed at any moment, create-api is done or can be run again', async () => {
    const cwd = createTemporaryFolder()
    const command = [createApi, 'svc', '--yes', '--no-install', '--no-git']
    const began = performance.now()
    await run(process.execPath, command, { cwd })
    const usual = performance.now() - began
    const after = readTree(cwd)
    for (let round = 0; round < kills; round += 1) {
      rmSync(join(cwd, 'svc'), { recursive: true })
      await killSoon(spawn(process.execPath, command, { cwd }), usual)
      const { status } = spawnSync(process.execPath, command, { cwd })
      expect(status).toBeOneOf([0, 3])
      expect(readTree(cwd)).toEqual(after)
    }
  })

  it.each(['api', 'create-api'])(
    'GEN-05: interrupted at any moment, %s has written nothing and says 130, or is done',
    async (name) => {
      const isApi = name === 'api'
      const root = isApi ? await createProject() : createTemporaryFolder()
      const command = isApi
        ? [api, 'g', 'resource', 'posts']
        : [createApi, 'svc', '--yes', '--no-install', '--no-git']
      const before = readTree(root)
      const began = performance.now()
      await run(process.execPath, command, { cwd: root })
      const usual = performance.now() - began
      const after = readTree(root)
      const reset = async (): Promise<void> => {
        if (isApi) await run(process.execPath, [api, 'destroy', 'resource', 'posts'], { cwd: root })
        else rmSync(join(root, 'svc'), { recursive: true })
      }
      await reset()
      for (let round = 0; round < kills; round += 1) {
        const child = spawn(process.execPath, command, { cwd: root, stdio: 'ignore' })
        const timer = setTimeout(() => child.kill('SIGINT'), Math.random() * usual * 1.2)
        const [code, signal] = await once(child, 'close')
        clearTimeout(timer)
        expect(code ?? signal).toBeOneOf([0, 130, 'SIGINT'])
        const tree = readTree(root)
        // Before the first line of ours has run, and after the last, the system ends the process.
        const isDone = code === 0 || (code === null && isDeepStrictEqual(tree, after))
        expect(tree).toEqual(isDone ? after : before)
        if (isDone) await reset()
        else if (!isApi) expect(readdirSync(root)).toEqual([])
      }
    },
  )

  it('interrupted while it installs, keeps the project, stops npm and says how to go on', async () => {
    const cwd = createTemporaryFolder()
    const silent = createServer().listen(0, '127.0.0.1')
    onTestFinished(() => void silent.close())
    await once(silent, 'listening')
    const address = silent.address()
    const port = typeof address === 'object' ? address?.port : undefined
    const env = { ...process.env, npm_config_registry: `http://127.0.0.1:${port ?? 0}/` }
    const child = spawn(
      process.execPath,
      [createApi, "it's", '--name', 'svc', '--yes', '--no-git'],
      {
        cwd,
        env: { ...env, npm_config_cache: join(cwd, 'cache') },
      },
    )
    let stderr = ''
    child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()))
    const [socket] = await once(silent, 'connection')
    const gone = once(socket, 'close')
    socket.resume()
    child.kill('SIGINT')
    const [code] = await once(child, 'close')
    expect(code).toBe(130)
    await gone
    expect(stderr).toContain(
      `it's was created, but its dependencies are not installed; continue with: cd 'it'\\''s' && npm install`,
    )
    expect(existsSync(join(cwd, "it's/src/server.ts"))).toBe(true)
  })

  it('GEN-09: ends at once without a terminal, whatever it would have asked', async () => {
    const cwd = createTemporaryFolder()
    const { status } = spawnSync(process.execPath, [createApi], { cwd, input: '', timeout: 60_000 })
    expect(status).toBe(2)
  })
})
