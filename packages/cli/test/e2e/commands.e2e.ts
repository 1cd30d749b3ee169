import { execFile, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { createProject, createTemporaryFolder, readTree } from '../run-program.ts'

const run = promisify(execFile)
const api = fileURLToPath(new URL('../../bin/api.js', import.meta.url))
const createApi = fileURLToPath(new URL('../../bin/create-api.js', import.meta.url))

describe('api as a process', () => {
  it('prints its help and its version, and survives a reader that has seen enough', async () => {
    const { stdout } = await run(process.execPath, [api, '--help'])
    expect(stdout).toContain('generate|g')
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
    expect([...readTree(join(root, '.api')).keys()]).toEqual(['manifest.json'])
  }, 60_000)

  it('GEN-05: killed at any moment, the tree is old or new, or the next run repairs it', async () => {
    const root = await createProject()
    const before = readTree(root)
    const generate = [api, 'g', 'resource', 'posts']
    const began = performance.now()
    await run(process.execPath, generate, { cwd: root })
    const usual = performance.now() - began
    const after = readTree(root)
    const reset = (): Promise<unknown> =>
      run(process.execPath, [api, 'destroy', 'resource', 'posts'], { cwd: root })
    await reset()
    for (let round = 0; round < 50; round += 1) {
      const child = spawn(process.execPath, generate, { cwd: root, stdio: 'ignore' })
      const timer = setTimeout(() => child.kill('SIGKILL'), Math.random() * usual * 1.2)
      await once(child, 'close')
      clearTimeout(timer)
      // Any run that locks the project repairs it first; this one changes nothing itself.
      await run(process.execPath, [api, 'g', 'middleware', 'probe'], { cwd: root })
      rmSync(join(root, 'src/middleware'), { recursive: true })
      const tree = readTree(root)
      const isNew = tree.has('src/resources/posts/posts.model.ts')
      expect(tree).toEqual(isNew ? after : before)
      if (isNew) await reset()
    }
  }, 180_000)

  it('ends at once without a terminal, whatever it would have asked', async () => {
    const cwd = createTemporaryFolder()
    const { status } = spawnSync(process.execPath, [createApi], { cwd, input: '', timeout: 5000 })
    expect(status).toBe(2)
  })
})
