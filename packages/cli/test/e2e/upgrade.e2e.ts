import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { createApiProgram } from '../../src/lib/programs/api-program.ts'
import { buildProgram } from '../built-modules.ts'
import { commitAll, git, unpackEarlier, write } from '../earlier-projects/unpack.ts'
import { readTree, type Result, runProgram } from '../run-program.ts'

const program = buildProgram('index')

const script = fileURLToPath(new URL('../killed-run.js', import.meta.url))

function createEdited(): string {
  const root = unpackEarlier('b5d9526')
  for (const path of ['README.md', 'src/resources/posts/posts.service.ts']) {
    write(root, path, `${readFileSync(join(root, path), 'utf8')}\n// Mine.\n`)
  }
  renameSync(join(root, 'test/app.test.ts'), join(root, 'test/service.test.ts'))
  commitAll(root)
  return root
}

function upgrade(root: string, ...args: readonly string[]): Promise<Result> {
  return runProgram(createApiProgram, ['upgrade', ...args], { cwd: root })
}

// Killed at a rename, or at a time.
async function killUpgrade(root: string, rename: number, milliseconds?: number): Promise<void> {
  const args = [script, String(rename), program, root, 'upgrade']
  const child = spawn(process.execPath, args, { stdio: 'ignore' })
  const timer =
    milliseconds === undefined ? undefined : setTimeout(() => child.kill('SIGKILL'), milliseconds)
  await once(child, 'close')
  clearTimeout(timer)
}

// Without the lock and the drafts of a killed run, which git ignores.
function readProject(root: string): Map<string, string> {
  const files = [...readTree(root)]
  return new Map(files.filter(([path]) => !/\.api-draft$|^\.api\/lock$/.test(path)))
}

const kills = Number(process.env['UPGRADE_KILLS'] ?? 12)

it('api upgrade, killed at random points, is finished or taken back by what it suggests', async () => {
  const untouched = createEdited()
  const before = readProject(untouched)
  const began = performance.now()
  await killUpgrade(untouched, 0)
  const usual = performance.now() - began
  const after = readProject(untouched)
  expect(after.get('README.md')).not.toBe(before.get('README.md'))
  for (let round = 0; round < kills; round += 1) {
    const root = createEdited()
    const random = Math.random()
    if (round % 2 === 0) await killUpgrade(root, 0, random * usual * 1.1)
    else await killUpgrade(root, 1 + Math.floor(random * after.size))
    const context = { round, random }
    const next = await upgrade(root)
    if (next.code === 3 && /interrupted/.test(next.stderr) && round % 4 < 2) {
      git(root, 'restore', '.')
      git(root, 'clean', '--quiet', '-d', '--force')
      expect({ context, files: readProject(root) }).toEqual({ context, files: before })
      expect(await upgrade(root)).toMatchObject({ code: 0 })
    } else if (next.code === 3) {
      expect(await upgrade(root, '--force')).toMatchObject({ code: 0 })
    }
    expect({ context, files: readProject(root) }).toEqual({ context, files: after })
    rmSync(root, { recursive: true })
  }
})

it('api upgrade refuses to finish a killed run over its own conflicts, and keeps them', async () => {
  const root = createEdited()
  const path = 'src/resources/posts/posts.routes.ts'
  write(root, path, '// all my own\n')
  commitAll(root)
  expect(await upgrade(root)).toMatchObject({ code: 3 })
  const marked = readFileSync(join(root, path), 'utf8')
  expect(marked).toContain('<<<<<<< yours\n// all my own\n')
  git(root, 'restore', '.')
  writeFileSync(join(root, path), marked)
  const { code, stderr } = await upgrade(root, '--force')
  expect(code).toBe(3)
  expect(stderr).toContain(`${path} has conflicts of an earlier upgrade`)
  expect(readFileSync(join(root, path), 'utf8')).toBe(marked)
})
