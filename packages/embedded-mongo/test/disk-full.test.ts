import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { MongoClient } from 'mongodb'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type BuiltPackage, buildPackage } from './built.ts'
import { checkFolder } from './check-folder.ts'
import { temporaryFolder } from './fresh-server.ts'

let built: BuiltPackage

beforeAll(() => {
  built = buildPackage()
})

afterAll(() => built.remove())

describe.skipIf(process.platform === 'win32')('a disk that is full', () => {
  it('rejects the write with 14031, still reads, and loses nothing that was acknowledged', async () => {
    const directory = temporaryFolder()
    const script = fileURLToPath(new URL('serve-folder.mjs', import.meta.url))
    // No file may grow beyond 100 kB: like a full disk, in the middle of an append.
    const child = spawn(
      'bash',
      ['-c', 'ulimit -f 100; exec "$@"', 'bash', process.execPath, script, built.folder, directory],
      { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] },
    )
    const [{ uri }] = await once(child, 'message')
    const client = await new MongoClient(uri).connect()
    const things = client.db().collection<{ k: string; text: string }>('things')
    const written: string[] = []
    const fill = async (): Promise<void> => {
      for (;;) {
        const k = `k${written.length}`
        await things.insertOne({ k, text: 'x'.repeat(3000) })
        written.push(k)
      }
    }
    await expect(fill()).rejects.toMatchObject({ code: 14031, codeName: 'OutOfDiskSpace' })
    expect(await things.countDocuments()).toBe(written.length)
    await client.close()
    const exited = once(child, 'exit')
    child.kill('SIGKILL')
    await exited
    expect([...checkFolder(directory, 'app.things').keys()]).toEqual(written)
  })
})
