import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { findInProject, loadIfInstalled, loadOptional } from './optional-package.ts'

afterEach(() => void vi.restoreAllMocks())

// A project that has installed one package, which this package cannot see.
function enterProject(name: string, code: string): string {
  const root = mkdtempSync(path.join(tmpdir(), 'optional-'))
  onTestFinished(() => rmSync(root, { recursive: true, force: true }))
  const folder = path.join(root, 'node_modules', name)
  mkdirSync(folder, { recursive: true })
  writeFileSync(path.join(folder, 'index.js'), code)
  vi.spyOn(process, 'cwd').mockReturnValue(root)
  return path.join(folder, 'index.js')
}

describe('optional packages', () => {
  it('are found in the project', () => {
    const file = enterProject('only-in-the-project', 'module.exports = 7')
    expect(loadIfInstalled('only-in-the-project')).toBe(7)
    expect(findInProject('only-in-the-project')).toBe(file)
  })

  it('are undefined when they are not installed, or named with the command that installs them', () => {
    expect(loadIfInstalled('not-installed')).toBeUndefined()
    expect(findInProject('not-installed')).toBeUndefined()
    expect(() => loadOptional('not-installed', 'X needs the package', ['not-installed'])).toThrow(
      'X needs the package not-installed. Install it: npm install not-installed',
    )
  })

  it('are broken, not missing, when one of their dependencies is', () => {
    enterProject('broken', `require('lacking')`)
    expect(() => loadIfInstalled('broken')).toThrow(/Cannot find module 'lacking'/)
  })
})
