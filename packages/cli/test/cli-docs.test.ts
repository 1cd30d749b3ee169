import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { rules } from '@create-api/openapi-diff'
import { type Command } from 'commander'
import { describe, expect, it } from 'vitest'
import { catalogue } from '../src/lib/errors/cli-error.ts'
import { fieldKinds, toFieldType } from '../src/lib/fields/field-types.ts'
import { createApiProgram } from '../src/lib/programs/api-program.ts'
import { createProjectProgram } from '../src/lib/programs/create-program.ts'
import { findUnknownOptions } from './find-unknown-options.ts'
import { runProgram } from './run-program.ts'

const file = new URL('../../../docs/cli.md', import.meta.url)
const skill = new URL('../skills/create-api/SKILL.md', import.meta.url)

// Tables written from the code, between comments that name them.
const tables = {
  types: [
    '| type | aliases | meaning | `min=`, `max=` | filter, sort |',
    '| --- | --- | --- | --- | --- |',
    ...fieldKinds.map((kind) => {
      const {
        aliases = [],
        bounds = '',
        filterable,
        meaning,
        operand,
        sortable,
      } = toFieldType(kind)
      const abilities = [filterable && 'filter', sortable && 'sort'].filter(Boolean).join(', ')
      const names = aliases.map((alias) => `\`${alias}\``).join(', ')
      return `| \`${operand?.example ?? kind}\` | ${names} | ${meaning} | ${bounds} | ${abilities} |`
    }),
  ],
  rules: [
    '| rule | for clients | meaning |',
    '| --- | --- | --- |',
    ...Object.entries(rules).map(
      ([name, { breaking, meaning }]) =>
        `| \`${name}\` | ${breaking ? 'breaking' : 'compatible'} | ${meaning} |`,
    ),
  ],
}

// The formatter pads the columns.
function unpadded(text: string): string {
  return text.replace(/ +/g, ' ').replace(/-{3,}/g, '---').trim()
}

function listFlags(command: Command): readonly string[] {
  const own = command.options.map(({ long }) => long ?? '')
  return [...own, ...command.commands.flatMap(listFlags)]
}

function readCommands(): string[] {
  const folder = new URL('../../../docs/', import.meta.url)
  const pages = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(
    (page) => page.endsWith('.md') && !page.includes('node_modules'),
  )
  const texts = [
    ...pages.map((page) => readFileSync(new URL(page, folder), 'utf8')),
    readFileSync(skill, 'utf8'),
  ]
  const blocks = texts.flatMap((text) => [...text.matchAll(/^ *```sh\n([\s\S]*?)^ *```/gm)])
  return blocks.flatMap(([, code = '']) => code.replaceAll('\\\n', ' ').split('\n'))
}

// Every command that does something, in the order of the help.
function listCommands(command: Command, words: readonly string[]): readonly string[][] {
  const path = [...words, command.name()]
  const isGroup = command.commands.length > 0
  return [
    ...(isGroup ? [] : [path]),
    ...command.commands.flatMap((child) => listCommands(child, path)),
  ]
}

const programs = { 'create-api': createProjectProgram, api: createApiProgram }

async function writeHelpPage(): Promise<string> {
  const sections = await Promise.all(
    Object.entries(programs).map(async ([name, create]) => {
      const paths = [
        [name],
        ...listCommands(
          create(() => undefined),
          [],
        ),
      ]
      const unique = [...new Set(paths.map((path) => path.join(' ')))]
      const helps = unique.map(async (path) => {
        const args = [...path.split(' ').slice(1), '--help']
        const { code, stdout } = await runProgram(create, args, { cwd: '.' })
        expect(code).toBe(0)
        return `## ${path}\n\n\`\`\`text\n${stdout.trim()}\n\`\`\`\n`
      })
      return (await Promise.all(helps)).join('\n')
    }),
  )
  return `# Help of every command

This page contains the output of \`--help\` of every command. [Command line](../cli.md) explains the commands.

${sections.join('\n')}`
}

describe('docs/reference/commands.md', () => {
  it('is the help of every command (UPDATE_DOCS=1 writes it)', async () => {
    const page = new URL('../../../docs/reference/commands.md', import.meta.url)
    const text = await writeHelpPage()
    if (process.env['UPDATE_DOCS'] === '1') writeFileSync(page, text)
    expect(readFileSync(page, 'utf8')).toBe(text)
  })
})

describe('the commands in docs/', () => {
  const commands = readCommands()

  it.each([
    ['api', 40],
    ['create-api', 4],
  ] as const)('exist, with their options: %s', (name, least) => {
    const pattern = new RegExp(`(?:^|npx |--no-install )${name} (.*)$`)
    const used = commands.flatMap((line) => pattern.exec(line)?.[1] ?? [])
    const unknown = used.filter((line) => findUnknownOptions(name, line).length > 0)
    expect(unknown).toEqual([])
    expect(used.length).toBeGreaterThanOrEqual(least)
  })

  it('name tests that exist', () => {
    const paths = commands.flatMap((line) => /npx vitest run (\S+)/.exec(line)?.[1] ?? [])
    const root = new URL('../../../', import.meta.url)
    expect(paths.filter((path) => !existsSync(new URL(path, root)))).toEqual([])
    expect(paths.length).toBeGreaterThan(3)
  })
})

describe('docs/cli.md', () => {
  const text = readFileSync(file, 'utf8')

  it.each(Object.entries(tables))('has the table of %s (UPDATE_DOCS=1 writes it)', (name, rows) => {
    const [begin, end] = [`<!-- ${name} -->`, `<!-- /${name} -->`]
    const [before = '', rest = ''] = readFileSync(file, 'utf8').split(begin)
    const [shown = '', after = ''] = rest.split(end)
    if (process.env['UPDATE_DOCS'] === '1') {
      writeFileSync(file, `${before}${begin}\n\n${rows.join('\n')}\n\n${end}${after}`)
      return
    }
    expect(unpadded(shown)).toBe(unpadded(rows.join('\n')))
  })

  it('names every command and every option', () => {
    const program = createApiProgram(() => undefined)
    const commands = program.commands.flatMap((command) =>
      command.commands.length === 0
        ? [command.name()]
        : command.commands.map((child) => `${command.name()} ${child.name()}`),
    )
    // The parts of a resource share one line.
    const parts = /^generate (model|validation|service|controller|routes|test)$/
    const names = commands.filter((name) => !parts.test(name))
    expect(
      names.filter((name) => !text.includes(`npx api ${name}`) && !text.includes(`api ${name}`)),
    ).toEqual([])
    const global = ['--cwd', '--quiet', '--verbose', '--version', '--no-format']
    const flags = [...listFlags(program), ...listFlags(createProjectProgram(() => undefined))]
    const lacking = flags.filter((flag) => !global.includes(flag) && !text.includes(flag))
    expect([...new Set(lacking)]).toEqual([])
  })

  it('lists every error with its exit code', () => {
    const lines = text.split('\n')
    for (const [code, exit] of Object.entries(catalogue)) {
      const line = lines.find((row) => row.startsWith(`| ${exit} `))
      expect(line).toContain(`\`${code}\``)
    }
  })
})
