import { execFileSync } from 'node:child_process'
import path from 'node:path'
import { expect, it } from 'vitest'

// A change of an entry point shows up in docs/api.md, and so in the review of the change.
it('docs/api.md lists exactly the names that each entry point exports', () => {
  const script = path.join(import.meta.dirname, '../../../scripts/api-reference.js')
  const check = (): Buffer => execFileSync(process.execPath, [script, '--check'])
  expect(check).not.toThrow()
})
