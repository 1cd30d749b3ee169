import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'
import { describe, expect, it } from 'vitest'

// An object finds `constructor` and `toString` in its prototype. Text from a request, a file or an argument must
// therefore not be looked up in a table that is an object: a Map has only what was put into it.
function findLookUps(source: string): readonly string[] {
  const file = ts.createSourceFile('source.ts', source, ts.ScriptTarget.Latest, true)
  const tables = new Set<string>()
  for (const statement of file.statements) {
    if (!ts.isVariableStatement(statement)) continue
    for (const { initializer, name, type } of statement.declarationList.declarations) {
      const isTable = initializer !== undefined && ts.isObjectLiteralExpression(initializer)
      if (isTable && /Record<string,/.test(type?.getText() ?? '')) tables.add(name.getText())
    }
  }
  const found: string[] = []
  const visit = (node: ts.Node): void => {
    if (ts.isElementAccessExpression(node) && tables.has(node.expression.getText())) {
      if (!ts.isStringLiteral(node.argumentExpression)) found.push(node.getText())
    }
    ts.forEachChild(node, visit)
  }
  visit(file)
  return found
}

describe('tables', () => {
  it('are found where text is looked up in an object', () => {
    const source = `
const units: Readonly<Record<string, number>> = { s: 1 }
const known: Record<'s' | 'm', number> = { s: 1, m: 60 }
const map: ReadonlyMap<string, number> = new Map()
export const read = (text: string, unit: 's') => [units[text], units['s'], known[unit], map.get(text)]
`
    expect(findLookUps(source)).toEqual(['units[text]'])
  })

  it.each(['core', 'cli', 'client', 'mcp', 'openapi-diff'])(
    'of packages/%s are not objects where text is looked up in them',
    (name) => {
      const folder = fileURLToPath(new URL(`../packages/${name}/src`, import.meta.url))
      const paths = readdirSync(folder, { recursive: true, encoding: 'utf8' })
      const found = paths
        .filter((path) => path.endsWith('.ts') && !path.endsWith('.test.ts'))
        .flatMap((path) =>
          findLookUps(readFileSync(join(folder, path), 'utf8')).map((text) => `${path}: ${text}`),
        )
      expect(found).toEqual([])
    },
  )
})
