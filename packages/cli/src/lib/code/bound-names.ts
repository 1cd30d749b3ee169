import type { Node, Statement } from '@babel/types'

// The names a declaration or a pattern binds.
export function boundNames(node: Node | null | undefined): readonly string[] {
  switch (node?.type) {
    case 'Identifier':
      return [node.name]
    case 'ObjectPattern':
      return node.properties.flatMap((property) =>
        boundNames(property.type === 'RestElement' ? property.argument : property.value),
      )
    case 'ArrayPattern':
      return node.elements.flatMap(boundNames)
    case 'AssignmentPattern':
      return boundNames(node.left)
    case 'RestElement':
      return boundNames(node.argument)
    default:
      return []
  }
}

// The names that a statement declares.
export function declaredNames(statement: Statement | null | undefined): readonly string[] {
  if (statement?.type === 'ImportDeclaration') {
    return statement.specifiers.map(({ local }) => local.name)
  }
  if (statement?.type === 'VariableDeclaration') {
    return statement.declarations.flatMap(({ id }) => boundNames(id))
  }
  return statement && 'id' in statement ? boundNames(statement.id) : []
}

// The name of an import or export, which may be a string.
export function nameOf(node: Node): string {
  if (node.type === 'StringLiteral') return node.value
  return node.type === 'Identifier' ? node.name : ''
}
