import { execFile } from 'node:child_process'
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  symlinkSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type BuiltPackage, buildPackage } from '../../../packages/embedded-mongo/test/built.ts'

const run = promisify(execFile)
const here = import.meta.dirname
const checks = path.join(here, '../..')
const root = path.join(checks, '..')

let built: BuiltPackage
let project: string

beforeAll(() => {
  built = buildPackage()
  project = mkdtempSync(path.join(tmpdir(), 'memory-server-'))
  cpSync(path.join(here, 'suites'), project, { recursive: true })
  const modules = path.join(project, 'node_modules')
  mkdirSync(modules)
  installAlias(path.join(modules, 'mongodb-memory-server'))
  for (const folder of [path.join(root, 'node_modules'), path.join(checks, 'node_modules')]) {
    for (const name of readdirSync(folder)) {
      const link = path.join(modules, name)
      if (!name.startsWith('.') && !existsSync(link)) symlinkSync(path.join(folder, name), link)
    }
  }
})

afterAll(() => {
  built.remove()
  rmSync(project, { recursive: true, force: true })
})

// What npm does for `"mongodb-memory-server": "npm:@create-api/embedded-mongo"`.
function installAlias(folder: string): void {
  mkdirSync(folder)
  cpSync(path.join(root, 'packages/embedded-mongo/package.json'), path.join(folder, 'package.json'))
  symlinkSync(built.folder, path.join(folder, 'dist'))
}

async function test(suite: string, bin: string, ...args: string[]): Promise<string> {
  const { stdout, stderr } = await run(process.execPath, [bin, ...args], {
    cwd: path.join(project, suite),
    env: {
      ...process.env,
      NODE_OPTIONS: '',
      VITEST: undefined,
      FORCE_COLOR: undefined,
      NO_COLOR: '1',
      NODE_ENV: 'test',
    },
    timeout: 90_000,
  }).catch((error: unknown) => {
    const { stdout: out, stderr: err } = Object(error)
    throw new Error(`${out}\n${err}`, { cause: error })
  })
  return `${stdout}\n${stderr}`
}

const jest = path.join(checks, 'node_modules/jest/bin/jest.js')
const mocha = path.join(checks, 'node_modules/mocha/bin/mocha.js')
const vitest = path.join(root, 'node_modules/vitest/vitest.mjs')

describe('test suites that name mongodb-memory-server', () => {
  it('Jest with a server for each file, in parallel workers, with coverage', async () => {
    const output = await test('jest-file', jest, '--coverage', '--maxWorkers=2')
    expect(output).toMatch(/Tests: +5 passed, 5 total/)
    expect(output).not.toMatch(/did not exit|open handles|force exited/)
  })

  it('Jest with a server for all files, in globalSetup', async () => {
    const output = await test('jest-suite', jest, '--maxWorkers=2')
    expect(output).toMatch(/Tests: +3 passed, 3 total/)
    expect(output).not.toMatch(/did not exit|open handles|force exited/)
  })

  it('Jest in one process', async () => {
    expect(await test('jest-file', jest, '--runInBand')).toMatch(/Tests: +5 passed, 5 total/)
  })

  it.each(['forks', 'threads'])('Vitest with a server for each worker, pool %s', async (pool) => {
    const output = await test('vitest-worker', vitest, 'run', '--pool', pool)
    expect(output).toMatch(/Tests +9 passed/)
  })

  it('Mocha with a server for the suite, at a port of its own', async () => {
    expect(await test('mocha-suite', mocha)).toMatch(/2 passing/)
  })

  it('Mocha with a server for each worker', async () => {
    expect(await test('mocha-worker', mocha)).toMatch(/6 passing/)
  })

  it('node:test with a server for each file', async () => {
    expect(await test('node-file', '--test', 'books.spec.mjs', 'forgotten.spec.mjs')).toMatch(
      /pass 2\n/,
    )
  })
})
