import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { readTree } from '../../../test/run-program.ts'
import { applyChanges } from './apply.ts'
import { type WantedFile } from './change.ts'
import { recover } from './journal.ts'
import { planChanges } from './plan.ts'
import { type FileSystem, realFileSystem } from './state-folder.ts'

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

// Every call fails from the chosen one on, or only that one.
function failing(
  at: number,
  code: string,
  lasting: boolean,
): { fs: FileSystem; calls: () => number } {
  let calls = 0
  const fs = new Proxy(realFileSystem, {
    get(target, name) {
      const original: unknown = Reflect.get(target, name)
      if (typeof original !== 'function') return original
      return (...args: unknown[]) => {
        calls += 1
        if (calls === at || (lasting && calls > at)) {
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
      const { calls, fs } = failing(0, code, false)
      const dry = createRoot()
      applyChanges(dry, planChanges(dry, wanted), fs)
      const after = readTree(dry)
      expect(calls()).toBeGreaterThan(20)
      for (let at = 1; at <= calls(); at += 1) {
        const root = createRoot()
        const before = readTree(root)
        let failed = false
        try {
          applyChanges(root, planChanges(root, wanted), failing(at, code, false).fs)
        } catch (error) {
          failed = true
          expect(error).toMatchObject({ code: 'WRITE_FAILED', exit: 1 })
        }
        // All that may stay behind is the staging folder, which git ignores.
        expect(recover(realFileSystem, root)).toBe(false)
        expect(readTree(root)).toEqual(failed ? before : after)
        expect(existsSync(join(root, 'src/a'))).toBe(!failed)
      }
    },
  )

  it('GEN-05: is repaired by the next run when even undoing failed', () => {
    const { calls, fs } = failing(0, 'EIO', false)
    const dry = createRoot()
    applyChanges(dry, planChanges(dry, wanted), fs)
    for (let at = 1; at <= calls(); at += 1) {
      const root = createRoot()
      const before = readTree(root)
      let failed = false
      try {
        applyChanges(root, planChanges(root, wanted), failing(at, 'EIO', true).fs)
      } catch {
        failed = true
      }
      recover(realFileSystem, root)
      const [present, expected] = [readTree(root), failed ? before : readTree(dry)]
      expect(present).toEqual(expected)
    }
  })

  it('does nothing without changes', () => {
    const root = createRoot()
    applyChanges(root, [])
    expect(existsSync(join(root, '.api'))).toBe(false)
  })
})

describe('recover', () => {
  it('does nothing in a project nobody left half written', () => {
    const root = createRoot()
    expect(recover(realFileSystem, root)).toBe(false)
    expect(readFileSync(join(root, 'src/routes.ts'), 'utf8')).toBe('old\n')
  })
})
