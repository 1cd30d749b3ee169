import { spawnSync } from 'node:child_process'
import { cpSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, it } from 'vitest'
import { codeBefore } from '../docs-examples.ts'
import { createTemporaryFolder } from '../../../packages/cli/test/run-program.ts'

const root = path.resolve(import.meta.dirname, '../../..')

// Runs the linter with the settings of a generated project.
function lint(code: string): string {
  return lintFiles({ 'code.ts': code })
}

function lintFiles(files: Readonly<Record<string, string>>, ...args: readonly string[]): string {
  const folder = createTemporaryFolder()
  cpSync(path.join(root, 'templates/project/.oxlintrc.json'), path.join(folder, '.oxlintrc.json'))
  for (const [name, code] of Object.entries(files)) writeFileSync(path.join(folder, name), code)
  const oxlint = path.join(root, 'checks/node_modules/.bin/oxlint')
  const { stdout } = spawnSync(oxlint, ['--deny-warnings', ...args, '.'], { cwd: folder })
  return stdout.toString()
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

interface Diagnostic {
  /** Absent from errors of the parser. */
  readonly code?: string
  readonly filename: string
}

it('accepts the code of the documentation', () => {
  const docs = path.join(root, 'docs')
  const pages = readdirSync(docs, { recursive: true, encoding: 'utf8' })
    .filter((name) => /^(?!node_modules|reference|decisions).*\.md$/.test(name))
    .filter((name) => !name.includes('node_modules'))
  const files = pages.flatMap((page) => {
    const text = readFileSync(path.join(docs, page), 'utf8').replaceAll(codeBefore, '')
    const blocks = [...text.matchAll(/^( *)```ts\n([^]*?)^\1```/gm)]
    return blocks.map(([, , code = ''], index) => {
      const name = page.replaceAll(/\W/g, '-')
      return [`${name}-${index}.ts`, code] as const
    })
  })
  const output = lintFiles(Object.fromEntries(files), '--format', 'json')
  const { diagnostics } = JSON.parse(output) as { diagnostics: readonly Diagnostic[] }
  // Blocks can be parts of a file, and declare what others use.
  const found = diagnostics.filter(({ code }) => code !== undefined)
  expect(found.filter(({ code }) => code !== 'eslint(no-unused-vars)')).toEqual([])
  const parts = new Set(diagnostics.filter(({ code }) => !code).map(({ filename }) => filename))
  const complete = files.filter(([name]) => !parts.has(name))
  expect(complete.length).toBeGreaterThan(100)
  expect(complete.filter(([, code]) => /async \(_?req/.test(code)).length).toBeGreaterThan(10)
})
