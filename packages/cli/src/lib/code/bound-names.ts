import type { Node } from '@babel/types'

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
