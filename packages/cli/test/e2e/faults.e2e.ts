import { cpSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type * as fileSystem from '../../src/lib/files/file-system.ts'
import { createApiProgram } from '../../src/lib/programs/api-program.ts'
import { createProjectProgram } from '../../src/lib/programs/create-program.ts'
import { type ProgramFactory } from '../../src/lib/programs/run.ts'
import { createProject, createTemporaryFolder, readTree, runProgram } from '../run-program.ts'

// Which call fails, and with what; the calls are counted from 1.
const fault = vi.hoisted(() => ({ calls: 0, at: 0, code: '' }))

vi.mock('../../src/lib/files/file-system.ts', async (load) => {
  const original = await load<typeof fileSystem>()
  const realFileSystem = new Proxy(original.realFileSystem, {
    get(target, name) {
      const method: unknown = Reflect.get(target, name)
      if (typeof method !== 'function') return method
      return (...args: unknown[]) => {
        fault.calls += 1
        if (fault.calls !== fault.at) return Reflect.apply(method, target, args)
        throw Object.assign(new Error(`${fault.code}: made to fail`), { code: fault.code })
      }
    },
  })
  return { ...original, realFileSystem }
})

// As when installed: without the tarballs of a checkout.
vi.mock('../../src/lib/create/checkout.ts', async (load) => ({
  ...(await load<object>()),
  findCheckout: () => undefined,
}))

const codes = ['EACCES', 'ENOSPC', 'EIO']
const quick = ['--yes', '--no-install', '--no-git']
const posts = 'posts title:string'

interface Case {
  readonly name: string
  readonly program: ProgramFactory
  readonly args: readonly string[]
  /** Resources that are there before; no project at all when it is left out. */
  readonly resources?: readonly string[]
}

const cases: readonly Case[] = [
  {
    name: 'create-api',
    program: createProjectProgram,
    args: ['svc', `--resource=${posts}`, ...quick],
  },
  {
    name: 'api generate resource',
    program: createApiProgram,
    args: ['generate', 'resource', ...posts.split(' ')],
    resources: [],
  },
  {
    name: 'api destroy resource',
    program: createApiProgram,
    args: ['destroy', 'resource', 'posts'],
    resources: [posts],
  },
  {
    name: 'api add field',
    program: createApiProgram,
    args: ['add', 'field', 'posts', 'price:number:min=0'],
    resources: [posts],
  },
  {
    name: 'api remove field',
    program: createApiProgram,
    args: ['remove', 'field', 'posts', 'body'],
    resources: [`${posts} body:text`],
  },
]

beforeEach(() => {
  Object.assign(fault, { calls: 0, at: 0, code: '' })
  // Migrations are named after the moment.
  vi.useFakeTimers({ toFake: ['Date'] })
})

afterEach(() => vi.useRealTimers())

describe('GEN-05: a command is all or nothing when a call of the file system fails', () => {
  it.each(cases)('$name', async ({ args, program, resources }) => {
    const start = createTemporaryFolder()
    if (resources !== undefined) cpSync(await createProject(resources), start, { recursive: true })
    const copy = (): string => {
      const cwd = join(createTemporaryFolder(), 'work')
      mkdirSync(cwd)
      cpSync(start, cwd, { recursive: true })
      return cwd
    }
    const before = readTree(start)
    fault.calls = 0
    const done = copy()
    expect(await runProgram(program, args, { cwd: done })).toMatchObject({ code: 0 })
    const after = readTree(done)
    const calls = fault.calls
    expect(calls).toBeGreaterThan(20)

    for (let at = 1; at <= calls; at += 1) {
      const cwd = copy()
      Object.assign(fault, { calls: 0, at, code: codes[at % codes.length] })
      const { code, stderr } = await runProgram(program, args, { cwd })
      Object.assign(fault, { at: 0 })
      if (code !== 0) expect(stderr).toContain('made to fail')
      const tree = readTree(cwd)
      // The lock of a run that is gone; the next one breaks it.
      for (const path of tree.keys()) if (path.endsWith('.api/lock')) tree.delete(path)
      expect([at, [...tree.keys()]]).toEqual([at, [...(code === 0 ? after : before).keys()]])
      expect(withoutSecrets(tree)).toEqual(withoutSecrets(code === 0 ? after : before))
    }
  })
})

// Tarballs and texts of two runs of create-api are the same; only .env, which is not read, differs.
function withoutSecrets(tree: Map<string, string>): Map<string, string> {
  return new Map([...tree].filter(([path]) => !path.endsWith('.env')))
}
