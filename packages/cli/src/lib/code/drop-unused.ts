import type { File, Statement } from '@babel/types'
import { findNames } from './add-imports.ts'
import { parseCode } from './parse-code.ts'

// Removes the declarations of a test file that nothing uses, at the top level and in `beforeAll`, with what only they use.
// Scopes are ignored, as they are for imports.
export async function dropUnused(text: string): Promise<string> {
  const parts = splitIntoParts((await parseCode(text)).program)
  const unused = findUnused(parts)
  if (unused.length === 0) return text
  return dropUnused(unused.reduceRight((rest, { node }) => cut(rest, node), text))
}

interface Part {
  readonly node: Statement
  /** The variable that it declares or sets. */
  readonly sets: string | undefined
  /** The other names in it. */
  readonly uses: ReadonlySet<string>
}

function splitIntoParts({ body }: File['program']): readonly Part[] {
  return body
    .flatMap((statement) => toSetup(statement) ?? [statement])
    .map((node) => {
      const sets = toSetName(node)
      const uses = new Set(findNames(node))
      if (sets !== undefined) uses.delete(sets)
      return { node, sets, uses }
    })
}

// The statements inside of `beforeAll(async () => { … })`.
function toSetup(statement: Statement): readonly Statement[] | undefined {
  if (statement.type !== 'ExpressionStatement') return undefined
  const { expression } = statement
  if (expression.type !== 'CallExpression' || expression.callee.type !== 'Identifier')
    return undefined
  const [setup] = expression.arguments
  const isSetup =
    expression.callee.name === 'beforeAll' && setup?.type === 'ArrowFunctionExpression'
  return isSetup && setup.body.type === 'BlockStatement' ? setup.body.body : undefined
}

function toSetName(node: Statement): string | undefined {
  if (node.type === 'FunctionDeclaration') return node.id?.name
  if (node.type === 'VariableDeclaration') {
    const [{ id } = {}, ...others] = node.declarations
    return id?.type === 'Identifier' && others.length === 0 ? id.name : undefined
  }
  if (node.type !== 'ExpressionStatement') return undefined
  const { expression } = node
  if (expression.type !== 'AssignmentExpression') return undefined
  const { left } = expression
  const target = left.type === 'MemberExpression' ? left.object : left
  return target.type === 'Identifier' ? target.name : undefined
}

function findUnused(parts: readonly Part[]): readonly Part[] {
  const used = new Set(parts.flatMap(({ uses }) => [...uses]))
  const declared = new Set(
    parts.filter(({ node }) => node.type !== 'ExpressionStatement').map(({ sets }) => sets),
  )
  return parts.filter(({ sets }) => sets !== undefined && declared.has(sets) && !used.has(sets))
}

// Removes whole lines, and the comment above them.
function cut(text: string, { end, start }: Statement): string {
  const before = text.slice(0, text.lastIndexOf('\n', start ?? 0) + 1)
  const after = text.slice(text.indexOf('\n', end ?? 0) + 1)
  return before.replace(/(^|\n)([^\S\n]*(\/\/|\/\*\*|\*).*\n)+$/, '$1') + after
}
