import { type Node } from '@babel/types'
import { parseCode } from '../src/lib/code/parse-code.ts'

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
 * its nodes and the names of its identifiers, in order.
 */
export async function toShape(source: string): Promise<readonly string[]> {
  const shape: string[] = []
  walk(await parseCode(source), (node, place) => {
    if (place === 'comments') return
    if (place === 'key') shape.push('key')
    else shape.push(node.type === 'Identifier' ? `name ${node.name}` : node.type)
  })
  return shape
}
