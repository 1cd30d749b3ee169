import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { describe, expect, it } from 'vitest'
import { CliError } from '../src/lib/errors/cli-error.ts'
import { createProjectProgram } from '../src/lib/programs/create-program.ts'
import { run } from '../src/lib/programs/run.ts'
import { quoteForShell } from '../src/lib/terminal/quote-for-shell.ts'
import { createReporter } from '../src/lib/terminal/reporter.ts'
import { startSpinner } from '../src/lib/terminal/spinner.ts'
import { createTemporaryFolder } from './run-program.ts'

// Sets the title of the window, deletes lines, moves the cursor, changes the direction of text.
const hostile = 'a\u001B]0;owned\u0007\u001B[2K\u009B1A\rb\u202Ec\u2066\u0000\u007F\b'
const controls = /(?!\n|\t)[\p{Cc}\u202A-\u202E\u2066-\u2069]/u
const ownColours = /\p{Cc}\[\d+m/gu

function createSink() {
  const parts: string[] = []
  const sink = { isTTY: true, columns: 400, write: (text: string) => parts.push(text) }
  const terminal = { cwd: '.', env: {}, stdin: Readable.from(['']), stdout: sink, stderr: sink }
  return { terminal, read: () => parts.splice(0).join('') }
}

describe('text of others in a terminal', () => {
  it.each([
    ['text', {}],
    ['text without colours', { color: false }],
    ['JSON', { json: true }],
    ['text with details', { verbose: true }],
  ])('has no escape sequences: %s', (_title, flags) => {
    const { read, terminal } = createSink()
    const reporter = createReporter(terminal, flags)
    reporter.report({
      json: { value: hostile },
      lines: [`  create     ${hostile}`, hostile],
      notes: [{ kind: 'warning', code: 'x', message: hostile, commands: [hostile] }],
    })
    reporter.progress(hostile)
    reporter.fail(
      new CliError('UNEXPECTED', hostile, {
        hint: hostile,
        details: [hostile],
        cause: new Error(hostile),
      }),
    )
    const shown = read()
    expect(shown).toContain(String.raw`\u001b]0;owned`)
    expect(shown.replaceAll(ownColours, '')).not.toMatch(controls)
  })

  it('is the same JSON', () => {
    const { read, terminal } = createSink()
    createReporter(terminal, { json: true }).report({
      json: { value: hostile },
      lines: [],
      notes: [],
    })
    expect(JSON.parse(read())).toMatchObject({ value: hostile })
  })

  it('keeps ends of lines, tabs and text in any language', () => {
    const { read, terminal } = createSink()
    const text = 'a\tb\r\nשלום\u200F ñ 日本 😀'
    createReporter(terminal, {}).report({ json: {}, lines: [text], notes: [] })
    expect(read()).toBe(`${text}\n`)
  })

  it('has none in a spinner', async () => {
    const { read, terminal } = createSink()
    const context = { terminal, flags: {}, cwd: '.', interactive: true }
    const stop = startSpinner(
      { ...context, progress: () => undefined, report: () => undefined },
      ` ${hostile}`,
    )
    await new Promise((done) => setTimeout(done, 200))
    const shown = read()
    stop()
    expect(shown).toContain('owned')
    expect(shown.replaceAll('\r', '')).not.toMatch(controls)
  })

  it('has none in what the client of a foreign document leaves out', async () => {
    const folder = createTemporaryFolder()
    const document = {
      openapi: '3.1.0',
      paths: { [`/${hostile}`]: { head: {} }, [hostile]: { get: {} } },
    }
    mkdirSync(join(folder, 'a'))
    writeFileSync(join(folder, 'openapi.json'), JSON.stringify(document))
    const { read, terminal } = createSink()
    const code = await run(createProjectProgram, ['client', 'openapi.json', '--out', 'a/x.ts'], {
      ...terminal,
      cwd: folder,
    })
    const shown = read()
    expect([code, shown]).toEqual([0, expect.stringContaining('its method')])
    expect(shown.replaceAll(ownColours, '')).not.toMatch(controls)
  })
})

it.each([
  ['a b', "'a b'"],
  ["it's", String.raw`'it'\''s'`],
  ['=ls', "'=ls'"],
  ['$(x)', "'$(x)'"],
  ['~', "'~'"],
  ['a=b', 'a=b'],
  ['', "''"],
])('%j is quoted for a shell', (text, quoted) => {
  expect(quoteForShell(text)).toBe(quoted)
})
