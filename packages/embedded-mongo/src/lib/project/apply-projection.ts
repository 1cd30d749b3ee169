import { type Expression } from '../aggregate/expressions/scope.ts'
import { type Doc, getField, isDocument, setField } from '../bson/document.ts'

/** What a projection does at one place of a document. */
export interface ProjectionNode {
  /** Children by field name; a leaf has none. */
  children: Map<string, ProjectionNode>
  /** Whether the field itself is named: kept by an inclusion, dropped by an exclusion. */
  isNamed: boolean
  /** Changes the value of a field that is kept, as `$slice` does. */
  transform: ((value: unknown) => unknown) | undefined
  /** Computes the field from the whole document. */
  compute: Expression | undefined
  /** Whether this node or one below computes. */
  isComputed: boolean
}

/**
 * Keeps what the nodes name.
 * @param doc - The document.
 * @param node - The projection at this place.
 * @returns A new document.
 */
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

/**
 * Drops what the nodes name.
 * @param doc - The document.
 * @param node - The projection at this place.
 * @returns A new document.
 */
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

/**
 * Sets what the nodes compute.
 * @param doc - The document to extend.
 * @param node - The projection at this place.
 * @param root - The whole document before the projection, which expressions read.
 * @returns A new document.
 */
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

// A scalar in the way of a computed path gives way to a document.
function computeValue(value: unknown, node: ProjectionNode, root: Doc): unknown {
  if (Array.isArray(value)) return value.map((item) => computeValue(item, node, root))
  return computeNode(isDocument(value) ? value : {}, node, root)
}
