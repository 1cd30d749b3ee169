import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, expect, it } from 'vitest'

const script = path.resolve(import.meta.dirname, '../scripts/check/words.js')
const folder = mkdtempSync(path.join(tmpdir(), 'check-words-'))

afterAll(() => rmSync(folder, { recursive: true, force: true }))

function check(name: string, text: string): { status: number | null; findings: string } {
  const file = path.join(folder, name)
  writeFileSync(file, text)
  const { status, stderr } = spawnSync('node', [script, file], { encoding: 'utf8' })
  return { status, findings: stderr.replaceAll(`${folder}${path.sep}`, '') }
}

it('fails with file, line, term and replacement', () => {
  const { status, findings } = check('bad.md', '# Title\n\nThe answer is sent.\nNobody is told.\n')
  expect(status).toBe(1)
  expect(findings).toContain('bad.md:3: "answer": use response; respond, return, send')
  expect(findings).toContain('bad.md:4: "Nobody": use no one, or name the subject')
  expect(findings).toContain('bad.md:4: "told": use')
})

it('finds a term that spans two lines, comment signs included', () => {
  expect(check('bad.hbs', '// A list of its\n// own.\n').findings).toContain(
    'bad.hbs:1: "of its // own"',
  )
  expect(check('bad.md', 'The value is\nno number.\n').findings).toContain('bad.md:1: "is no"')
})

it('ignores code in Markdown', () => {
  const text = 'Call `answer()`.\n\n```ts\nconst answer = 42\n```\n'
  expect(check('good.md', text)).toEqual({ status: 0, findings: '' })
})

it('ignores other words that contain a term', () => {
  expect(check('good.md', 'Standard indoor values are no longer foretold.\n').status).toBe(0)
})

it('rejects comments of core that are a clause without a noun', () => {
  const name = 'packages/core/src/lib/http/stage.ts'
  mkdirSync(path.dirname(path.join(folder, name)), { recursive: true })
  const { findings } = check(
    name,
    '// What the routes use.\n/** Those that there are. */\n// A sentence.\n',
  )
  expect(findings).toContain(`${name}:1: "// What": use a sentence that names its subject`)
  expect(findings).toContain(`${name}:2: "/** Those": use a sentence that names its subject`)
  expect(findings).not.toContain(':3:')
})
