import { spawnSync } from 'node:child_process'
import { cpSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, it } from 'vitest'
import { createTemporaryFolder } from '../../../packages/cli/test/run-program.ts'

const root = path.resolve(import.meta.dirname, '../../..')

it('may read the _id of a document, as the lint settings of a project say, and no other such name', () => {
  const folder = createTemporaryFolder()
  cpSync(path.join(root, 'examples/blog/.oxlintrc.json'), path.join(folder, '.oxlintrc.json'))
  const lint = (name: string): string => {
    const code = `export const read = (user: { ${name}: string }): string => user.${name}\n`
    writeFileSync(path.join(folder, 'read.ts'), code)
    const oxlint = path.join(root, 'checks/node_modules/.bin/oxlint')
    return spawnSync(oxlint, ['--deny-warnings', '.'], { cwd: folder }).stdout.toString()
  }
  expect(lint('_id')).toContain('Found 0 warnings and 0 errors')
  expect(lint('_name')).toContain('no-underscore-dangle')
})
