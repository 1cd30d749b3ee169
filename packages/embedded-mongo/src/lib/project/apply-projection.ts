import { type Expression } from '../expressions/scope.ts'
import { type Doc, getField, isDocument, setField } from '../bson/document.ts'

// What a projection does at one position in a document.
export interface ProjectionNode {
  // By field name; empty for a leaf.
  children: Map<string, ProjectionNode>
  // The field itself is named: kept by an inclusion, dropped by an exclusion.
  isNamed: boolean
  // Changes the value of a field that is kept, as $slice does.
  transform: ((value: unknown) => unknown) | undefined
  // Computes the field from the whole document.
  compute: Expression | undefined
  // This node or one below it computes.
  isComputed: boolean
}

export function includeNode(doc: Doc, node: ProjectionNode): Doc {
  const result: Doc = {}
  for (const name of Object.keys(doc)) {
    const child = node.children.get(name)
    if (child === undefined) continue
    const value = includeValue(getField(doc, name), child)
    if (value !== undefined) setField(result, name, value)
  }
  return result
}

function includeValue(value: unknown, node: ProjectionNode): unknown {
  if (node.transform !== undefined) return node.transform(value)
  if (node.isNamed) return value
  if (node.compute !== undefined) return undefined
  if (isDocument(value)) return includeNode(value, node)
  if (!Array.isArray(value)) return undefined
  return value.map((item) => includeValue(item, node)).filter((item) => item !== undefined)
}

export function excludeNode(doc: Doc, node: ProjectionNode): Doc {
  const result: Doc = {}
  for (const name of Object.keys(doc)) {
    const child = node.children.get(name)
    const value = getField(doc, name)
    if (child === undefined) setField(result, name, value)
    else if (!child.isNamed) setField(result, name, excludeValue(value, child))
  }
  return result
}

function excludeValue(value: unknown, node: ProjectionNode): unknown {
  if (node.transform !== undefined) return node.transform(value)
  if (isDocument(value)) return excludeNode(value, node)
  return Array.isArray(value) ? value.map((item) => excludeValue(item, node)) : value
}

export function computeNode(doc: Doc, node: ProjectionNode, root: Doc): Doc {
  const result = { ...doc }
  for (const [name, child] of node.children) {
    if (!child.isComputed) continue
    const value = child.compute
      ? child.compute(root)
      : computeValue(getField(doc, name), child, root)
    if (value === undefined) delete result[name]
    else setField(result, name, value)
  }
  return result
}

// A scalar on a computed path is replaced by a document.
function computeValue(value: unknown, node: ProjectionNode, root: Doc): unknown {
  if (Array.isArray(value)) return value.map((item) => computeValue(item, node, root))
  return computeNode(isDocument(value) ? value : {}, node, root)
}
