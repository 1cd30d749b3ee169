import type { Node } from '@babel/types'

// The nodes directly below one, each with the name of the member it is in.
export function childNodes(node: Node): readonly (readonly [member: string, child: Node])[] {
  return Object.entries(node).flatMap(([member, value]: [string, unknown]) =>
    [value].flat().flatMap((child) => (isNode(child) ? [[member, child] as const] : [])),
  )
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && 'type' in value
}
