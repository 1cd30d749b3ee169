import { readFileSync, writeFileSync } from 'node:fs'
import ts from 'typescript'
import { describe, expect, it } from 'vitest'
import {
  describeEnvironment,
  environmentTable,
  type EnvironmentRow,
} from './describe-environment.ts'
import { descriptions } from './descriptions.ts'
import { readConfig } from './read-config.ts'

// UPDATE_DOCS=1 writes the files that are compared here.
const isUpdate = process.env['UPDATE_DOCS'] === '1'

const schemas = [
  './api-options.ts',
  '../features/migrations.ts',
  '../features/jobs.ts',
  '../features/metrics.ts',
  '../auth/options/auth-options.ts',
  '../auth/limits/limit-options.ts',
  '../auth/mail/mail-options.ts',
]
const docs = new URL('../../../../../docs/', import.meta.url)

interface Comment {
  readonly text: string
  readonly default: string | undefined
}

// The comment of each option that has an environment variable, by variable.
function readComments(): ReadonlyMap<string, Comment> {
  const comments = new Map<string, Comment>()
  for (const schema of schemas) {
    const text = readFileSync(new URL(schema, import.meta.url), 'utf8')
    const visit = (node: ts.Node): void => {
      const [, name] = ts.isPropertyAssignment(node)
        ? (/^option\([^]*\benv: '(\w+)'/.exec(node.initializer.getText()) ?? [])
        : []
      if (name === undefined) ts.forEachChild(node, visit)
      else comments.set(name, readComment(node))
    }
    visit(ts.createSourceFile(schema, text, ts.ScriptTarget.Latest, true))
  }
  return comments
}

function readComment(node: ts.Node): Comment {
  const doc = ts.getJSDocCommentsAndTags(node).find((part) => ts.isJSDoc(part))
  const tag = doc?.tags?.find(({ tagName }) => tagName.text === 'default')
  const toText = (comment: ts.JSDoc['comment']): string =>
    (ts.getTextOfJSDocComment(comment) ?? '').replace(/\s+/g, ' ').trim()
  return { text: toText(doc?.comment), default: tag && toText(tag.comment) }
}

function toDescriptions(comments: ReadonlyMap<string, Comment>): string {
  const rows = Array.from(comments, ([name, { text }]) => `  ${name}: ${JSON.stringify(text)},\n`)
  return `// Written from the comments of the options: see environment-table.test.ts.
export const descriptions: Readonly<Record<string, string>> = {\n${rows.join('')}}\n`
}

function toTable(rows: readonly EnvironmentRow[]): string {
  const lines = rows.map(
    (row) =>
      `| \`${row.name}\` | ${toDefault(row.defaults, toCode)} | \`${row.option}\` | ${row.meaning} |`,
  )
  return ['| Variable | Default | Option | Meaning |', '| --- | --- | --- | --- |', ...lines].join(
    '\n',
  )
}

function toDefault(
  { production, development, test }: EnvironmentRow['defaults'],
  print: (value: string | undefined) => string,
): string {
  if (production === development && development === test) return print(production)
  if (production === development) return `${print(production)}, in tests ${print(test)}`
  const first = `in production ${print(production)}, `
  if (development === test) return `${first}else ${print(test)}`
  return `${first}in development ${print(development)}, in tests ${print(test)}`
}

function toCode(value: string | undefined): string {
  return value === undefined || value === '' ? 'none' : `\`${value}\``
}

// The formatter pads the columns.
function unpadded(text: string): string {
  return text.replace(/ +/g, ' ').replace(/-{3,}/g, '---').trim()
}

// Returns the table between two markers of a page, after writing it if it is to be updated.
function readTable(page: string, marker: string, table: string): string {
  const file = new URL(page, docs)
  const [begin, end] = [`<!-- ${marker} -->`, `<!-- /${marker} -->`]
  const [before = '', rest = ''] = readFileSync(file, 'utf8').split(begin)
  const [shown = '', after = ''] = rest.split(end)
  if (!isUpdate) return unpadded(shown)
  writeFileSync(file, `${before}${begin}\n\n${table}\n\n${end}${after}`)
  return unpadded(table)
}

describe('environmentTable', () => {
  it('has the comments of the options as descriptions', () => {
    const comments = readComments()
    expect([...comments.keys()].toSorted()).toEqual(
      environmentTable.map(({ name }) => name).toSorted(),
    )
    const texts = Object.fromEntries(Array.from(comments, ([name, { text }]) => [name, text]))
    if (isUpdate) {
      writeFileSync(new URL('./descriptions.ts', import.meta.url), toDescriptions(comments))
    } else expect(descriptions).toEqual(texts)
  })

  const inCode: Readonly<Record<string, string>> = { on: 'true', off: 'false' }

  it.each(environmentTable)('has the default of $name in its comment', ({ name, defaults }) => {
    const stated = readComments().get(name)?.default ?? ''
    const values = Object.values(defaults).filter((value) => value !== undefined)
    const missing = values.filter(
      (value) => !stated.includes(inCode[value] ?? value) && !stated.includes(`'${value}'`),
    )
    expect(missing).toEqual([])
  })

  it('is the table in docs/configuration.md', () => {
    const comments = readComments()
    const table = toTable(
      environmentTable.map((row) => ({ ...row, meaning: comments.get(row.name)?.text ?? '' })),
    )
    expect(readTable('configuration.md', 'variables', table)).toBe(unpadded(table))
  })

  it('has a default for each environment that its own check accepts', () => {
    const complete = { MONGODB_URI: 'mongodb://localhost/app' }
    for (const NODE_ENV of ['development', 'test', 'production']) {
      expect(readConfig({}, { ...complete, NODE_ENV }).problems).toEqual([])
    }
  })

  it('has an example for .env that its own check accepts, and none that is a secret', () => {
    const shown = environmentTable.filter(({ example }) => example !== '')
    const env = Object.fromEntries(shown.map(({ name, example }) => [name, example]))
    expect(describeEnvironment(env).filter(({ problem }) => problem)).toEqual([])
    expect(environmentTable.find(({ name }) => name === 'JWT_SECRET')).toMatchObject({
      isSecret: true,
      example: '',
    })
  })
})
