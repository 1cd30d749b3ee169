import type { Node } from '@babel/types'

// The nodes directly below one, each with the name of the member it is in.
export function childNodes(node: Node): readonly (readonly [member: string, child: Node])[] {
  const children: [string, Node][] = []
  for (const [member, value] of Object.entries(node) as [string, unknown][]) {
    // Most members are texts and numbers.
    if (typeof value !== 'object' || value === null) continue
    for (const child of Array.isArray(value) ? value : [value]) {
      if (isNode(child)) children.push([member, child])
    }
  }
  return children
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && 'type' in value
}
