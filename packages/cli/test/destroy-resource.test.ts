import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { createApiProgram } from '../src/lib/programs/api-program.ts'
import { buildProgram } from './built-modules.ts'
import { createProject, readTree, type Result, runProgram } from './run-program.ts'

const program = buildProgram('index')

function api(cwd: string, ...args: string[]): Promise<Result> {
  return runProgram(createApiProgram, args, { cwd })
}

describe('api destroy resource', () => {
  it.each([
    ['posts', 'title:string'],
    ['cow', '--plural', 'kine'],
    ['notes', 'text:text', '--access', 'owner', '--path', '/api/v2/notes'],
    ['tags', '--only', 'model'],
  ])('is the exact inverse of generate: %s', async (...args) => {
    const root = await createProject(['comments body:text'])
    const before = readTree(root)
    await api(root, 'generate', 'resource', ...args)
    expect(readTree(root)).not.toEqual(before)
    const { code, stdout } = await api(root, 'destroy', 'resource', args[0] ?? '')
    expect(code).toBe(0)
    expect(stdout).toContain('  delete     src/resources/')
    expect(readTree(root)).toEqual(before)
  })

  it('leaves the first project behind when the last resource goes', async () => {
    const root = await createProject()
    const before = readTree(root)
    await api(root, 'generate', 'resource', 'posts')
    await api(root, 'd', 'resource', 'Post')
    expect(readTree(root)).toEqual(before)
    expect(existsSync(join(root, 'src/resources'))).toBe(false)
  })

  it('keeps edited files, and everything else with them, until --force', async () => {
    const root = await createProject(['posts'])
    const file = join(root, 'src/resources/posts/posts.service.ts')
    writeFileSync(file, `${readFileSync(file, 'utf8')}// mine\n`)
    const before = readTree(root)
    const { code, stderr } = await api(root, 'destroy', 'resource', 'posts')
    expect(code).toBe(3)
    expect(stderr).toContain('1 file was edited; nothing was deleted')
    expect(stderr).toContain('  edited     src/resources/posts/posts.service.ts')
    expect(readTree(root)).toEqual(before)
    expect((await api(root, 'destroy', 'resource', 'posts', '--force')).code).toBe(0)
    expect(existsSync(join(root, 'src/resources'))).toBe(false)
  })

  it('finds a resource by its files when the manifest is gone, and wants --force', async () => {
    const root = await createProject()
    const before = readTree(root)
    for (const path of before.keys()) if (path.startsWith('.api/')) before.delete(path)
    await api(root, 'generate', 'resource', 'posts', 'title:string')
    rmSync(join(root, '.api'), { recursive: true })
    const { code, stderr } = await api(root, 'destroy', 'resource', 'Post')
    expect(code).toBe(3)
    expect(stderr).toContain('posts is not in the manifest, so edits cannot be detected')
    expect(stderr).toContain('  found      src/resources/posts/posts.model.ts')
    expect((await api(root, 'destroy', 'resource', 'Post', '--force')).code).toBe(0)
    expect(readTree(root)).toEqual(before)
  })

  it('keeps files it did not write', async () => {
    const root = await createProject(['posts'])
    writeFileSync(join(root, 'src/resources/posts/notes.md'), 'mine')
    await api(root, 'destroy', 'resource', 'posts')
    expect([...readTree(join(root, 'src/resources')).keys()]).toEqual(['posts/notes.md'])
  })

  it('deletes nothing for a dry run, and says who still refers to it', async () => {
    const root = await createProject(['posts', 'comments post:ref:Post'])
    const before = readTree(root)
    const { code, stderr, stdout } = await api(root, 'destroy', 'resource', 'posts', '--dry-run')
    expect(code).toBe(0)
    expect(stdout).toContain('Dry run: nothing was written.')
    expect(stdout).toMatch(/update {5}src\/routes\.ts +−1 import, −1 mount/)
    expect(stderr).toContain('the resource "comments" refers to model Post')
    expect(readTree(root)).toEqual(before)
  })

  it('refuses a resource it does not know, and a registry it cannot read', async () => {
    const root = await createProject(['posts'])
    const unknown = await api(root, 'destroy', 'resource', 'post-office')
    expect(unknown.code).toBe(2)
    expect(unknown.stderr).toContain('no resource "post-office" was generated here')
    expect((await api(root, 'destroy', 'resource', 'pots')).stderr).toContain(
      'did you mean "posts"',
    )
    writeFileSync(join(root, 'src/routes.ts'), 'export const = 1')
    const before = readTree(root)
    expect((await api(root, 'destroy', 'resource', 'posts')).code).toBe(4)
    expect(readTree(root)).toEqual(before)
  })

  it.each([1, 4])('removes what a run killed at its rename %i has left', async (at) => {
    const root = await createProject(['comments body:text'])
    const before = readTree(root)
    const script = fileURLToPath(new URL('./killed-run.js', import.meta.url))
    const args = [script, String(at), program, root, 'generate', 'resource', 'posts']
    const { signal } = spawnSync(process.execPath, args)
    expect(signal).toBe('SIGKILL')
    const folder = join(root, 'src/resources/posts')
    expect(existsSync(join(folder, 'posts.model.ts'))).toBe(at > 1)
    expect(existsSync(join(folder, 'posts.test.ts.api-draft'))).toBe(true)

    const doctor = await api(root, 'doctor')
    expect(doctor.code).toBe(1)
    expect(doctor.stdout).toContain('posts is incomplete')
    expect(doctor.stdout).toContain('api destroy resource posts --force')
    const { code, stderr } = await api(root, 'destroy', 'resource', 'posts', '--force')
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    const after = readTree(root)
    for (const path of after.keys()) if (path.endsWith('.api-draft')) after.delete(path)
    expect(after).toEqual(before)
    expect(existsSync(folder)).toBe(false)
  })
})
