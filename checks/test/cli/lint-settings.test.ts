import { spawnSync } from 'node:child_process'
import { cpSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, it } from 'vitest'
import { createTemporaryFolder } from '../../../packages/cli/test/run-program.ts'

const root = path.resolve(import.meta.dirname, '../../..')

// Runs the linter with the settings of a generated project.
function lint(code: string): string {
  const folder = createTemporaryFolder()
  cpSync(path.join(root, 'templates/project/.oxlintrc.json'), path.join(folder, '.oxlintrc.json'))
  writeFileSync(path.join(folder, 'code.ts'), code)
  const oxlint = path.join(root, 'checks/node_modules/.bin/oxlint')
  return spawnSync(oxlint, ['--deny-warnings', '.'], { cwd: folder }).stdout.toString()
}

const clean = 'Found 0 warnings and 0 errors'

it('may read the _id of a document, as the lint settings of a project say, and no other such name', () => {
  const read = (name: string): string =>
    lint(`export const read = (user: { ${name}: string }): string => user.${name}\n`)
  expect(read('_id')).toContain(clean)
  expect(read('_name')).toContain('no-underscore-dangle')
})

it.each(['get', 'post', 'put', 'patch'])('accepts an async handler of route.%s', (method) => {
  const code = `import { createRouter, success } from '@create-api/core'

export const router = createRouter(
  (route) => [
    route.${method}('/', { access: 'public' }, async (req, res) => {
      success(res, await Promise.resolve(req.path))
    }),
  ],
  { access: 'public' },
)
`
  expect(lint(code)).toContain(clean)
})
