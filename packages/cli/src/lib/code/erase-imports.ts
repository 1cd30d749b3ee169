import type { ImportDeclaration, Statement } from '@babel/types'
import { type CommentedSource, importTag, printComment } from './jsdoc.ts'
import { type Edit, rangeOf, textOf, wholeLines } from './text-edits.ts'

// Removes what only types import, which a comment below the imports then names. `values` are the names that the code uses
// other than in types.
export function eraseImports(
  { source }: CommentedSource,
  body: readonly Statement[],
  values: ReadonlySet<string>,
): readonly Edit[] {
  const imports = body.filter((statement) => statement.type === 'ImportDeclaration')
  const last = imports.at(-1)
  const parted = imports.map((statement) => partNames(source, statement, values))
  const tags = parted.flatMap(({ from, types }) =>
    toClauses(types).map((clause) => importTag(clause, from)),
  )
  if (last === undefined || tags.length === 0) return []
  const comment = printComment(tags, '')
  return parted.flatMap(({ statement, types, values: kept }): readonly Edit[] => {
    const after = statement === last ? `\n\n${comment}\n` : ''
    if (types.length === 0 || kept.length > 0) {
      const { end, start } = rangeOf(statement)
      const head = { start, end: rangeOf(statement.source).start }
      return [
        ...(types.length === 0 ? [] : [{ ...head, text: `import ${toClause(kept)} from ` }]),
        ...(after === '' ? [] : [{ start: end, end, text: after }]),
      ]
    }
    return [{ ...wholeLines(source, rangeOf(statement)), text: after }]
  })
}

interface PartedNames {
  readonly statement: ImportDeclaration
  /** The module, with its quotes. */
  readonly from: string
  readonly types: readonly string[]
  readonly values: readonly string[]
}

function partNames(
  source: string,
  statement: ImportDeclaration,
  used: ReadonlySet<string>,
): PartedNames {
  const types: string[] = []
  const values: string[] = []
  for (const specifier of statement.specifiers) {
    const isType =
      statement.importKind === 'type' ||
      (specifier.type === 'ImportSpecifier' && specifier.importKind === 'type') ||
      !used.has(specifier.local.name)
    const text = textOf(source, specifier).replace(/^type\s+(?!as\b)/, '')
    const name = specifier.type === 'ImportSpecifier' ? `{ ${text} }` : text
    if (isType) types.push(name)
    else values.push(name)
  }
  return { statement, from: textOf(source, statement.source), types, values }
}

// A comment imports a default export, a namespace or names.
function toClauses(names: readonly string[]): readonly string[] {
  const named = names.filter((name) => name.startsWith('{'))
  const others = names.filter((name) => !name.startsWith('{'))
  return named.length === 0 ? others : [...others, toClause(named)]
}

function toClause(names: readonly string[]): string {
  return names.join(', ').replaceAll(' }, { ', ', ')
}
