import { type Node } from '@babel/types'
import { parseCode } from '../src/lib/code/parse-code.ts'

/** Visits all nodes of a syntax tree, parents first. */
export function walk(node: Node, visit: (node: Node) => void): void {
  visit(node)
  for (const value of Object.values(node) as unknown[]) {
    for (const child of Array.isArray(value) ? (value as unknown[]) : [value]) {
      if (isNode(child)) walk(child, visit)
    }
  }
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && 'type' in value && 'start' in value
}

/**
 * The syntax tree of a source without the content of its literals and comments: the types of its nodes and the names of its
 * identifiers, in order. What is a member's name counts the same with quotes and without.
 */
export async function toShape(source: string): Promise<readonly string[]> {
  const shape: string[] = []
  walk(await parseCode(source), (node) => {
    if (node.type === 'Identifier') shape.push(node.name)
    else shape.push(node.type)
  })
  return shape
}
