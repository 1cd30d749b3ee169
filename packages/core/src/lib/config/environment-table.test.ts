import { readFileSync, writeFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { environmentTable, type EnvironmentRow } from './environment-table.ts'
import { readVariables } from './read-variables.ts'

const file = new URL('../../../../../docs/configuration.md', import.meta.url)
const [begin, end] = ['<!-- variables -->', '<!-- /variables -->']

function toTable(rows: readonly EnvironmentRow[]): string {
  const lines = rows.map(
    (row) => `| \`${row.name}\` | ${toDefault(row)} | \`${row.option}\` | ${row.meaning} |`,
  )
  return ['| Variable | Default | Option | Meaning |', '| --- | --- | --- | --- |', ...lines].join(
    '\n',
  )
}

function toDefault({ defaults }: EnvironmentRow): string {
  const { production, development, test } = defaults
  if (production === development && development === test) return toCode(production)
  const rest =
    development === test
      ? `else ${toCode(test)}`
      : `in development ${toCode(development)}, in tests ${toCode(test)}`
  const first = production === development ? '' : `in production ${toCode(production)}, `
  return production === development
    ? `${toCode(production)}, in tests ${toCode(test)}`
    : first + rest
}

function toCode(value: string | undefined): string {
  return value === undefined || value === '' ? 'none' : `\`${value}\``
}

// The formatter pads the columns.
function unpadded(text: string): string {
  return text.replace(/ +/g, ' ').replace(/-{3,}/g, '---').trim()
}

describe('environmentTable', () => {
  it('is the table in docs/configuration.md (UPDATE_DOCS=1 writes it)', () => {
    const text = readFileSync(file, 'utf8')
    const [before = '', rest = ''] = text.split(begin)
    const [shown = '', after = ''] = rest.split(end)
    if (process.env['UPDATE_DOCS'] === '1') {
      writeFileSync(file, `${before}${begin}\n\n${toTable(environmentTable)}\n\n${end}${after}`)
      return
    }
    expect(unpadded(shown)).toBe(unpadded(toTable(environmentTable)))
  })

  it('has a default for each environment that its own check accepts', () => {
    const complete = { MONGODB_URI: 'mongodb://localhost/app' }
    for (const NODE_ENV of ['development', 'test', 'production']) {
      expect(readVariables({}, { ...complete, NODE_ENV }).problems).toEqual([])
    }
  })

  it('has an example for .env that its own check accepts, and none that is a secret', () => {
    const shown = environmentTable.filter(({ example }) => example !== '')
    const env = Object.fromEntries(shown.map(({ name, example }) => [name, example]))
    expect(readVariables({}, env).problems).toEqual([])
    expect(environmentTable.find(({ name }) => name === 'JWT_SECRET')).toMatchObject({
      isSecret: true,
      example: '',
    })
  })
})
