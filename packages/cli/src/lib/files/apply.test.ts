import { existsSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { readTree } from '../../../test/run-program.ts'
import { applyChanges } from './apply.ts'
import { type WantedFile } from './change.ts'
import { planChanges } from './plan.ts'
import { type FileSystem, realFileSystem } from './file-system.ts'

const wanted: readonly WantedFile[] = [
  { kind: 'write', path: 'src/a/one.ts', text: 'one\n' },
  { kind: 'write', path: 'src/a/two.ts', text: 'two\n', mode: 0o600 },
  { kind: 'edit', path: 'src/routes.ts', before: 'old\n', text: 'new\n' },
  { kind: 'delete', path: 'gone/old.ts' },
]

function createRoot(): string {
  const root = mkdtempSync(join(tmpdir(), 'create-api-apply-'))
  onTestFinished(() => rmSync(root, { recursive: true, force: true }))
  mkdirSync(join(root, 'src'))
  mkdirSync(join(root, 'gone'))
  writeFileSync(join(root, 'src/routes.ts'), 'old\n', { mode: 0o640 })
  writeFileSync(join(root, 'gone/old.ts'), 'old\n')
  return root
}

// One call fails; they are counted from 1.
function failing(at: number, code: string): { fs: FileSystem; calls: () => number } {
  let calls = 0
  const fs = new Proxy(realFileSystem, {
    get(target, name) {
      const original: unknown = Reflect.get(target, name)
      if (typeof original !== 'function') return original
      return (...args: unknown[]) => {
        calls += 1
        if (calls === at) {
          throw Object.assign(new Error(`${code}: made to fail`), { code })
        }
        return Reflect.apply(original, target, args)
      }
    },
  })
  return { fs, calls: () => calls }
}

describe('applyChanges', () => {
  it('creates, updates and deletes, and leaves no trace of how', () => {
    const root = createRoot()
    applyChanges(root, planChanges(root, wanted))
    expect(Object.fromEntries(readTree(root))).toEqual({
      'src/a/one.ts': 'one\n',
      'src/a/two.ts': 'two\n',
      'src/routes.ts': 'new\n',
    })
    expect(statSync(join(root, 'src/a/two.ts')).mode & 0o777).toBe(0o600)
    expect(statSync(join(root, 'src/routes.ts')).mode & 0o777).toBe(0o640)
    expect(existsSync(join(root, 'gone'))).toBe(false)
  })

  it.each(['EACCES', 'ENOSPC', 'EIO'])(
    'GEN-05: is all or nothing when any call fails with %s',
    (code) => {
      const { calls, fs } = failing(0, code)
      const dry = createRoot()
      applyChanges(dry, planChanges(dry, wanted), fs)
      const after = readTree(dry)
      expect(calls()).toBeGreaterThan(15)
      for (let at = 1; at <= calls(); at += 1) {
        const root = createRoot()
        const before = readTree(root)
        let failed = false
        try {
          applyChanges(root, planChanges(root, wanted), failing(at, code).fs)
        } catch (error) {
          failed = true
          expect(error).toMatchObject({ code: 'WRITE_FAILED', exit: 1 })
        }
        expect(readTree(root)).toEqual(failed ? before : after)
        expect(existsSync(join(root, 'src/a'))).toBe(!failed)
      }
    },
  )

  it('does nothing without changes', () => {
    const root = createRoot()
    applyChanges(root, [])
    expect(existsSync(join(root, '.api'))).toBe(false)
  })
})
