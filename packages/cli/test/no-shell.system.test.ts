import * as childProcess from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it, vi } from 'vitest'
import { createApiProgram } from '../src/lib/programs/api-program.ts'
import { createProjectProgram } from '../src/lib/programs/create-program.ts'
import { createTemporaryFolder, runProgram } from './run-program.ts'

// The real thing, with a record of how it was called.
vi.mock('node:child_process', { spy: true })

const sources = fileURLToPath(new URL('../src', import.meta.url))
const modules = fileURLToPath(new URL('../../../node_modules', import.meta.url))
const hostile = "it's $(touch PWNED);touch PWNED&touch PWNED|touch PWNED`touch PWNED`"

describe('GEN-03: no shell sees what a user wrote', () => {
  it('spawns every program with a list of arguments and without a shell', async () => {
    const cwd = createTemporaryFolder()
    const parent = join(cwd, hostile)
    mkdirSync(parent)
    const closed = { npm_config_registry: 'http://127.0.0.1:9/', npm_config_fetch_retries: '0' }
    const env = { ...closed, npm_config_cache: join(cwd, 'cache'), GIT_AUTHOR_NAME: hostile }
    const made = await runProgram(createProjectProgram, ['svc', '--yes'], { cwd: parent, env })
    expect(made.code).toBe(6)

    const root = join(parent, 'svc')
    symlinkSync(modules, join(root, 'node_modules'))
    writeFileSync(join(root, 'api.config.json'), '{ "format": "prettier" }')
    const args = ['generate', 'resource', 'posts', `title:string:default=${hostile}`]
    expect((await runProgram(createApiProgram, args, { cwd: root })).code).toBe(0)
    await runProgram(createApiProgram, ['info'], { cwd: root })
    await runProgram(createApiProgram, ['routes'], { cwd: root })

    const calls = vi.mocked(childProcess.spawn).mock.calls
    const programs = calls.map(([program]) => program.split('/').at(-1) ?? '')
    expect(programs).toEqual(expect.arrayContaining(['git', 'npm', 'node']))
    expect(calls.flatMap(([, list]) => list).join(' ')).toContain('--stdin-filepath')
    for (const [program, list, options] of calls) {
      expect(Array.isArray(list)).toBe(true)
      expect(options.shell ?? false).toBe(false)
      expect(program).not.toMatch(/(^|\/)(ba|da|z|fi)?sh$|cmd(\.exe)?$/)
    }
    for (const name of [
      'exec',
      'execSync',
      'execFile',
      'execFileSync',
      'spawnSync',
      'fork',
    ] as const) {
      expect(childProcess[name]).not.toHaveBeenCalled()
    }
    expect([cwd, parent, root].some((folder) => existsSync(join(folder, 'PWNED')))).toBe(false)
  })

  it('has no other way to start one, and evaluates nothing', () => {
    const files = readdirSync(sources, { recursive: true, encoding: 'utf8' })
    const texts = files
      .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'))
      .map((file) => readFileSync(join(sources, file), 'utf8'))
    expect(texts.length).toBeGreaterThan(50)
    for (const text of texts) {
      const imported = /import \{(.*?)\} from 'node:child_process'/s.exec(text)?.[1] ?? ''
      const functions = imported.split(',').map((name) => name.trim())
      expect(functions.filter((name) => name !== '' && !name.startsWith('type '))).toEqual(
        imported === '' ? [] : ['spawn'],
      )
      expect(text).not.toMatch(/shell: true|\beval\(|new Function\(/)
    }
    // Only `node:vm` can interrupt a regular expression. Its one script is a constant: patterns and values are data.
    const scripts = texts.filter((text) => text.includes('node:vm'))
    expect(scripts).toHaveLength(1)
    expect(scripts[0]?.match(/\bvm\.\w+|\brun\w*\(/g)).toEqual(['vm.Script', 'runInNewContext('])
    expect(scripts[0]).toMatch(/new vm\.Script\(\s*"[^"\\$`]*",\s*\)/)
  })
})
