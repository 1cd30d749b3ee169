import { readFileSync, writeFileSync } from 'node:fs'
import { type Command } from 'commander'
import { describe, expect, it } from 'vitest'
import { catalogue } from '../src/lib/errors.ts'
import { rules } from '../src/lib/openapi-diff/rules.ts'
import { createApiProgram } from '../src/lib/programs/api-program.ts'
import { createProjectProgram } from '../src/lib/programs/create-program.ts'

const file = new URL('../../../docs/cli.md', import.meta.url)
const [begin, end] = ['<!-- rules -->', '<!-- /rules -->']

function toTable(): string {
  const rows = Object.entries(rules).map(
    ([name, { breaking, meaning }]) =>
      `| \`${name}\` | ${breaking ? 'breaking' : 'compatible'} | ${meaning} |`,
  )
  return ['| rule | for clients | meaning |', '| --- | --- | --- |', ...rows].join('\n')
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

  it('has the rules of api openapi --check (UPDATE_DOCS=1 writes them)', () => {
    const [before = '', rest = ''] = text.split(begin)
    const [shown = '', after = ''] = rest.split(end)
    if (process.env['UPDATE_DOCS'] === '1') {
      writeFileSync(file, `${before}${begin}\n\n${toTable()}\n\n${end}${after}`)
      return
    }
    expect(unpadded(shown)).toBe(unpadded(toTable()))
  })

  it('names every command and every flag of its own', () => {
    const program = createApiProgram(() => undefined)
    const commands = program.commands.flatMap((command) =>
      command.commands.length === 0
        ? [command.name()]
        : command.commands.map((child) => `${command.name()} ${child.name()}`),
    )
    // The parts of a resource stand in one line.
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

  it('names every failure with its exit code', () => {
    const lines = text.split('\n')
    for (const [code, exit] of Object.entries(catalogue)) {
      const line = lines.find((row) => row.startsWith(`| ${exit} `))
      expect(line).toContain(`\`${code}\``)
    }
  })
})
