import { type Node } from '@babel/types'
import ts from 'typescript'

/** Visits all nodes of a syntax tree, parents first. */
export function walk(node: Node, visit: (node: Node, place: string) => void, place = ''): void {
  visit(node, place)
  for (const [name, value] of Object.entries(node) as [string, unknown][]) {
    for (const child of Array.isArray(value) ? (value as unknown[]) : [value]) {
      if (isNode(child)) walk(child, visit, name)
    }
  }
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && 'type' in value && 'start' in value
}

/**
 * The syntax tree of a source without what its literals, its comments and the names of its members contain: the types of
 * its nodes and the names of its identifiers. Throws if TypeScript cannot parse the source.
 */
export function toShape(source: string): string {
  const file = ts.createSourceFile('source.ts', source, ts.ScriptTarget.Latest, true)
  // Not in the types of TypeScript; a complete program would find the same, much more slowly.
  const { parseDiagnostics = [] } = file as { parseDiagnostics?: readonly ts.Diagnostic[] }
  const [problem] = parseDiagnostics
  if (problem) throw new Error(ts.flattenDiagnosticMessageText(problem.messageText, '\n'))
  return toNodeShape(file)
}

function toNodeShape(node: ts.Node): string {
  const below: string[] = []
  ts.forEachChild(node, (child) => {
    below.push(toNodeShape(child))
  })
  if (isMemberName(node)) return 'member'
  const type = ts.SyntaxKind[node.kind]
  return ts.isIdentifier(node) ? `${type} ${node.text}` : `${type}(${below.join(' ')})`
}

// A name is an identifier or a literal, as it needs.
function isMemberName(node: ts.Node): boolean {
  const { parent } = node
  return (
    parent !== undefined &&
    'name' in parent &&
    parent.name === node &&
    !ts.isComputedPropertyName(node) &&
    (ts.isTypeElement(parent) || ts.isClassElement(parent) || ts.isObjectLiteralElement(parent)) &&
    !ts.isShorthandPropertyAssignment(parent)
  )
}
