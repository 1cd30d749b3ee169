import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { type BuiltPackage, buildPackage } from '../built.ts'
import { connect, temporaryFolder } from '../fresh-server.ts'
import { openTestServer } from '../server.ts'
import { judgeCase, listCaseFiles, readCases } from './read-cases.ts'

let built: BuiltPackage

beforeAll(() => {
  built = buildPackage()
})

afterAll(() => built.remove())

describe('the cases', () => {
  // All of them: MONGODB_URI=… npx vitest run packages/embedded-mongo/test
  it('run against the server of MONGODB_URI, here one of another process on a port', async () => {
    const script = fileURLToPath(new URL('../serve-folder.mjs', import.meta.url))
    const child = fork(script, [built.folder, temporaryFolder(), '0'], { execArgv: [] })
    const exited = once(child, 'exit')
    const [{ uri }] = await once(child, 'message')
    expect(uri).toMatch(/^mongodb:\/\/127\.0\.0\.1:\d+\//)
    vi.stubEnv('MONGODB_URI', uri)
    const server = await openTestServer()
    vi.unstubAllEnvs()
    expect(server).toMatchObject({ uri, name: 'an embedded database at MONGODB_URI' })
    const db = (await connect(server.uri)).db('embedded_cases')
    for (const file of listCaseFiles()) {
      for (const row of readCases(file).slice(0, 2)) {
        const { found, expected } = await judgeCase(db, row)
        expect(found, `${file}: ${row.name}`).toEqual(expected)
      }
    }
    await server.stop()
    // It belongs to who started it: a server of others is not stopped by the tests.
    expect(await db.command({ ping: 1 })).toMatchObject({ ok: 1 })
    child.kill()
    await exited
  })
})
