import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { spawnSync } from 'node:child_process'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it, onTestFinished } from 'vitest'
import { withLock } from './lock.ts'
import { type FileSystem, realFileSystem } from './file-system.ts'

function createRoot(): string {
  const root = mkdtempSync(join(tmpdir(), 'create-api-lock-'))
  onTestFinished(() => rmSync(root, { recursive: true, force: true }))
  return root
}

describe('withLock', () => {
  it('lets one at a time in, and all of them in the end', async () => {
    const root = createRoot()
    let inside = 0
    const runs = Array.from({ length: 10 }, (_, index) =>
      withLock(root, async () => {
        inside += 1
        expect(inside).toBe(1)
        await new Promise((done) => setImmediate(done))
        inside -= 1
        return index
      }),
    )
    expect(await Promise.all(runs)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9])
    expect(readdirSync(root)).toEqual([])
  })

  it('gives up when another run does not end', async () => {
    const root = createRoot()
    await withLock(root, async () => {
      const second = withLock(root, async () => 'in', { maxWaitMs: 50 })
      await expect(second).rejects.toMatchObject({ code: 'LOCKED', exit: 1 })
    })
  })

  it('waits for as many other runs as there are, one after the other', async () => {
    const root = createRoot()
    mkdirSync(join(root, '.api'))
    const lock = join(root, '.api/lock')
    writeFileSync(lock, '1')
    const waiting = withLock(root, async () => 'in', { maxWaitMs: 1500 })
    const end = Date.now() + 3000
    for (let turn = 0; Date.now() < end; turn++) {
      writeFileSync(lock, String(turn % 2 ? process.ppid : 1))
      await sleep(50)
    }
    rmSync(lock)
    await expect(waiting).resolves.toBe('in')
  })

  it('takes over from a run that died', async () => {
    const root = createRoot()
    const { pid } = spawnSync(process.execPath, ['-e', '0'])
    for (const left of [String(pid), String(process.pid)]) {
      mkdirSync(join(root, '.api'))
      writeFileSync(join(root, '.api/lock'), left)
      expect(await withLock(root, async () => 'in', { maxWaitMs: 1000 })).toBe('in')
    }
    mkdirSync(join(root, '.api'))
    writeFileSync(join(root, '.api/lock'), '')
    utimesSync(join(root, '.api/lock'), 0, 0)
    expect(await withLock(root, async () => 'in', { maxWaitMs: 1000 })).toBe('in')
    expect(existsSync(join(root, '.api/lock'))).toBe(false)
  })

  it('GEN-05: does not take back what was done when its release fails', async () => {
    const root = createRoot()
    const fs: FileSystem = {
      ...realFileSystem,
      rmSync: () => {
        throw Object.assign(new Error('made to fail'), { code: 'EIO' })
      },
    }
    await expect(withLock(root, () => Promise.resolve('done'), { fs })).resolves.toBe('done')
    await expect(withLock(root, () => Promise.resolve('again'))).resolves.toBe('again')
  })

  it('is released when the action fails', async () => {
    const root = createRoot()
    const failed = withLock(root, () => Promise.reject(new Error('no')))
    await expect(failed).rejects.toThrow('no')
    expect(readdirSync(root)).toEqual([])
  })
})
