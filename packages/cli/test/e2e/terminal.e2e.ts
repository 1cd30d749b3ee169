import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { createProject, createTemporaryFolder, readTree } from '../run-program.ts'
import { createLinkedProject } from '../linked-project.ts'
import { hasTerminal, keys, openTerminal } from './pseudo-terminal.ts'

const api = fileURLToPath(new URL('../../bin/api.js', import.meta.url))
const createApi = fileURLToPath(new URL('../../bin/create-api.js', import.meta.url))

const questions = [
  'Where should the project be created?',
  'Install dependencies?',
  'Create a git repository with a first commit?',
]

describe.skipIf(!hasTerminal)('create-api in a terminal', () => {
  it('asks three questions, and says how to do the same without them', async () => {
    const cwd = createTemporaryFolder()
    const terminal = openTerminal([process.execPath, createApi], cwd)
    await terminal.waitFor(questions[0] ?? '')
    terminal.type(`svc${keys.enter}`)
    await terminal.waitFor(questions[1] ?? '')
    terminal.type(keys.n)
    await terminal.waitFor(questions[2] ?? '')
    terminal.type(keys.n)
    await terminal.waitFor('created in')
    expect(await terminal.end()).toBe(0)
    expect(terminal.shown()).toContain('npx create-api svc --yes --pm npm --no-install --no-git')
    expect(readdirSync(cwd)).toEqual(['svc'])
  })

  it('asks for the folder only when any flag is given, and nothing when it is known', async () => {
    const cwd = createTemporaryFolder()
    const flagged = openTerminal([process.execPath, createApi, '--no-install', '--no-git'], cwd)
    await flagged.waitFor(questions[0] ?? '')
    flagged.type(keys.enter)
    expect(await flagged.end()).toBe(0)
    expect(flagged.shown()).not.toContain(questions[1])
    expect(readdirSync(cwd)).toEqual(['my-service'])
    for (const quiet of [['--yes'], ['--no-input']]) {
      const args = [createApi, `named${quiet[0] ?? ''}`, ...quiet, '--no-install', '--no-git']
      const named = openTerminal([process.execPath, ...args], cwd)
      expect(await named.end()).toBe(0)
      for (const question of questions) expect(named.shown()).not.toContain(question)
    }
  })

  it('does not prompt without a terminal', async () => {
    const cwd = createTemporaryFolder()
    const terminal = openTerminal([process.execPath, createApi], cwd, { CI: 'true' })
    expect(await terminal.end()).toBe(2)
    expect(terminal.shown()).toContain('the argument dir is missing')
  })

  it.each([0, 1, 2])('writes nothing and ends with 130 after Ctrl-C at question %i', async (at) => {
    const cwd = createTemporaryFolder()
    const terminal = openTerminal([process.execPath, createApi], cwd)
    for (const question of questions.slice(0, at)) {
      await terminal.waitFor(question)
      terminal.type(keys.enter)
    }
    await terminal.waitFor(questions[at] ?? '')
    terminal.type(keys.ctrlC)
    expect(await terminal.end()).toBe(130)
    expect(terminal.shown()).toContain('cancelled; nothing was written')
    expect(readdirSync(cwd)).toEqual([])
  })
})

describe.skipIf(!hasTerminal)('api in a terminal', () => {
  it('prompts for an edited file, and keeps it by default', async () => {
    const root = await createProject(['posts'])
    const file = join(root, 'src/resources/posts/posts.service.ts')
    const generated = readFileSync(file, 'utf8')
    writeFileSync(file, '// mine\n')
    const generate = [process.execPath, api, 'g', 'resource', 'posts']

    const keep = openTerminal(generate, root)
    await keep.waitFor('posts.service.ts differs')
    keep.type(keys.enter)
    expect(await keep.end()).toBe(0)
    expect(readFileSync(file, 'utf8')).toBe('// mine\n')

    const before = readTree(root)
    const cancel = openTerminal(generate, root)
    await cancel.waitFor('posts.service.ts differs')
    cancel.type(keys.ctrlC)
    expect(await cancel.end()).toBe(130)
    expect(readTree(root)).toEqual(before)

    const overwrite = openTerminal(generate, root)
    await overwrite.waitFor('posts.service.ts differs')
    overwrite.type(`${keys.down}${keys.enter}`)
    expect(await overwrite.end()).toBe(0)
    expect(readFileSync(file, 'utf8')).toBe(generated)
  })
})

describe.skipIf(!hasTerminal)('api dev in a terminal', () => {
  it('restarts with the return key, and stops the service with Ctrl-C', async () => {
    const root = await createLinkedProject()
    const terminal = openTerminal([process.execPath, api, 'dev'], root, {
      NODE_ENV: 'development',
      PORT: '0',
    })
    await terminal.waitFor('serves http://localhost:')
    terminal.type(keys.enter)
    await terminal.waitFor('restarting')
    await terminal.waitFor('serves http://localhost:')
    const url = /serves (\S+)/.exec(terminal.shown().split('restarting')[1] ?? '')?.[1] ?? ''
    expect((await fetch(`${url}/health/ready`)).status).toBe(200)
    terminal.type(keys.ctrlC)
    expect(await terminal.end()).toBe(0)
    await expect(fetch(url)).rejects.toThrow()
    expect(terminal.shown()).not.toContain('exited')
  })
})
