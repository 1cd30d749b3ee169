import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { constantFrom, nat, record, sample, tuple } from 'fast-check'
import { describe, expect, it } from 'vitest'
import { CliError } from '../src/lib/errors/cli-error.ts'
import { createApiProgram } from '../src/lib/programs/api-program.ts'
import { createProjectProgram } from '../src/lib/programs/create-program.ts'
import { manifestFile } from '../src/lib/project/manifest.ts'
import { type ProgramFactory, run } from '../src/lib/programs/run.ts'
import { quoteForShell } from '../src/lib/terminal/quote-for-shell.ts'
import { createReporter } from '../src/lib/terminal/reporter.ts'
import { startSpinner } from '../src/lib/terminal/spinner.ts'
import { createEdits } from './hostile-edits.ts'
import { hostileTexts } from './hostile-texts.ts'
import { createProject, createTemporaryFolder } from './run-program.ts'

// With another seed: HOSTILE_SEED=2 FULL_TESTS=1 npx vitest run packages/cli/test/terminal-escapes.test.ts
const runs = Math.ceil(Number(process.env['HOSTILE_INPUTS'] ?? 1000) / 10)
const seed = Number(process.env['HOSTILE_SEED'] ?? 1)

// Sets the title of the window, deletes lines, moves the cursor, changes the direction of text.
const hostile = 'a\u001B]0;owned\u0007\u001B[2K\u009B1A\rb\u202Ec\u2066\u0000\u007F\b'
const controls = /(?!\r?\n|\t)[\p{Cc}\u202A-\u202E\u2066-\u2069]/u
const ownColours = /\p{Cc}\[\d+m/gu

function createSink() {
  const parts: string[] = []
  const sink = { isTTY: true, columns: 400, write: (text: string) => parts.push(text) }
  const terminal = { cwd: '.', env: {}, stdin: Readable.from(['']), stdout: sink, stderr: sink }
  return { terminal, read: () => parts.splice(0).join('') }
}

describe('GEN-14 text of others in a terminal', () => {
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
    expect([code, shown]).toEqual([0, expect.stringContaining('the method is not supported')])
    expect(shown.replaceAll(ownColours, '')).not.toMatch(controls)
  })
})

const sequences = ['\u001B]0;owned\u0007', '\u001B[2K', '\u009B1A', '\r', '\u202E', '\u2066', '\b']
const words = tuple(hostileTexts, constantFrom(...sequences), hostileTexts).map((parts) =>
  parts.join(''),
)

async function show(
  program: ProgramFactory,
  cwd: string,
  args: readonly string[],
): Promise<{ readonly args: readonly string[]; readonly shown: string }> {
  const { read, terminal } = createSink()
  await run(program, args, { ...terminal, cwd })
  return { args, shown: read().replaceAll(ownColours, '') }
}

describe('GEN-14 what commands print', () => {
  const isEscaped = /\\u00(?:07|08|0d|1b|9b)|\\u20|\\u2066/

  it(`has no escape sequences of arguments: ${runs}`, async () => {
    const root = await createProject(['posts title'])
    const toApi: readonly ((text: string) => readonly string[])[] = [
      (text) => [text],
      (text) => ['routes', `--${text}`],
      (text) => ['generate', 'resource', text],
      (text) => ['generate', 'resource', 'posts', `title:string:${text}`],
      (text) => ['generate', 'resource', 'posts', '--access', text],
      (text) => ['generate', 'resource', 'posts', '--under', text],
      (text) => ['generate', 'middleware', text],
      (text) => ['destroy', 'resource', text],
      (text) => ['remove', 'field', 'posts', text],
      (text) => ['templates', 'eject', text],
      (text) => ['request', text, '/'],
      (text) => ['request', 'GET', `/${text}`],
      (text) => ['client', text],
      (text) => ['upgrade', '--to', text],
      (text) => ['--cwd', text, 'info'],
    ]
    const cases = record({ toArgs: constantFrom(...toApi), text: words })
    let escaped = 0
    for (const { text, toArgs } of sample(cases, { seed, numRuns: runs })) {
      const { args, shown } = await show(createApiProgram, root, toArgs(text))
      expect([args, controls.exec(shown)]).toEqual([args, null])
      if (isEscaped.test(shown)) escaped += 1
    }
    expect(escaped).toBeGreaterThan(runs / 2)
  })

  it(`has no escape sequences of files: ${runs}`, async () => {
    const root = await createProject(['posts title'])
    const manifest: unknown = JSON.parse(readFileSync(join(root, manifestFile), 'utf8'))
    const registry = readFileSync(join(root, 'src/routes.ts'), 'utf8')
    const { apply, edits } = createEdits(manifest, [null, 1, [], {}])
    const commands = [
      ['doctor'],
      ['destroy', 'resource', 'posts', '--dry-run'],
      ['generate', 'resource', 'posts', 'title', 'body', '--dry-run'],
      ['add', 'field', 'posts', 'body:text', '--dry-run'],
      ['upgrade', '--dry-run'],
    ]
    const cases = record({
      edit: edits,
      command: constantFrom(...commands),
      text: words,
      kind: nat(3),
    })
    let escaped = 0
    for (const { command, edit, kind, text } of sample(cases, { seed, numRuns: runs })) {
      const changed = kind === 0 ? apply(manifest, edit, () => text) : manifest
      writeFileSync(join(root, manifestFile), JSON.stringify(changed))
      const imported = `import { a } from ${JSON.stringify(`./${text}.js`)}\n${registry}`
      writeFileSync(join(root, 'src/routes.ts'), kind === 1 ? imported : registry)
      const config = kind === 2 ? { [text]: text, publicWrites: [text] } : {}
      writeFileSync(join(root, 'api.config.json'), JSON.stringify(config))
      const name = text
        .replaceAll(/[/\p{Cs}]/gu, '')
        .replaceAll('\0', '')
        .slice(0, 40)
      const folder = join(root, 'src/resources', `x${name}`)
      if (kind === 3) {
        mkdirSync(folder, { recursive: true })
        writeFileSync(join(folder, `x${name}.routes.ts`), '')
      }
      const { args, shown } = await show(createApiProgram, root, kind === 3 ? ['doctor'] : command)
      expect([args, text, controls.exec(shown)]).toEqual([args, text, null])
      if (isEscaped.test(shown)) escaped += 1
      rmSync(folder, { recursive: true, force: true })
    }
    expect(escaped).toBeGreaterThan(runs / 4)
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
