import { readFileSync, writeFileSync } from 'node:fs'
import { rules } from '@create-api/openapi-diff'
import { type Command } from 'commander'
import { describe, expect, it } from 'vitest'
import { catalogue } from '../src/lib/kernel/errors.ts'
import { fieldKinds, toFieldType } from '../src/lib/fields/field-types.ts'
import { createApiProgram } from '../src/lib/programs/api-program.ts'
import { createProjectProgram } from '../src/lib/programs/create-program.ts'

const file = new URL('../../../docs/cli.md', import.meta.url)

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
