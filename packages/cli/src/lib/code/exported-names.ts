import type { Statement } from '@babel/types'
import { boundNames, declaredNames } from './bound-names.ts'
import { parseCode } from './parse-code.ts'

// The values that a module exports by name; none if its source cannot be read.
export async function findExportedNames(source: string): Promise<readonly string[]> {
  try {
    return (await parseCode(source)).program.body.flatMap(toNames)
  } catch {
    return []
  }
}

function toNames(statement: Statement): readonly string[] {
  if (statement.type !== 'ExportNamedDeclaration' || statement.exportKind === 'type') return []
  const { declaration, specifiers } = statement
  const named = specifiers.flatMap(({ exported }) => boundNames(exported))
  return [...declaredNames(declaration), ...named]
}
