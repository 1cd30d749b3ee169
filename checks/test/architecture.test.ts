import { execFileSync } from 'node:child_process'
import path from 'node:path'
import { expect, it } from 'vitest'

it('docs/architecture.md names existing files and the import rules that hold', () => {
  const script = path.join(import.meta.dirname, '../../scripts/check/architecture.js')
  const check = (): Buffer => execFileSync(process.execPath, [script], { stdio: 'pipe' })
  expect(check).not.toThrow()
})
