import { compileExpression } from '../expressions/compile-expression.ts'
import { type Expression, type Scope } from '../expressions/scope.ts'
import { type Doc, getField, isDocument } from '../bson/document.ts'
import { isNumeric, toNumber } from '../bson/numeric.ts'
import { CommandError } from '../errors/command-error.ts'
import { parseFieldPath } from '../keys/field-path.ts'
import { compileFilter } from '../query/compile-filter.ts'
import { type ProjectionNode } from './apply-projection.ts'

interface ParsedProjection {
  root: ProjectionNode
  isInclusion: boolean
  // The path of `path.$`, without the `$`.
  positional: string | undefined
}

interface State extends Omit<ParsedProjection, 'isInclusion'> {
  kind: 'find' | 'stage'
  scope: Scope
  // Undecided until the first field that decides.
  isInclusion: boolean | undefined
  idIsIncluded: boolean | undefined
}

export function parseProjection(
  spec: Doc,
  options: { kind: 'find' | 'stage'; scope: Scope },
): ParsedProjection {
  const state: State = {
    ...options,
    root: createNode(),
    isInclusion: undefined,
    positional: undefined,
    idIsIncluded: undefined,
  }
  if (options.kind === 'stage' && Object.keys(spec).length === 0) {
    throw new CommandError(
      'Location51272',
      'Invalid $project :: caused by :: projection specification must have at least one field',
    )
  }
  for (const name of Object.keys(spec)) parseEntry(name, spec[name], state)
  const { root, positional, idIsIncluded } = state
  const isInclusion = state.isInclusion ?? idIsIncluded ?? false
  const keepsId = isInclusion ? idIsIncluded !== false : idIsIncluded === false
  if (keepsId && !root.children.has('_id')) root.children.set('_id', createNode({ isNamed: true }))
  return { root, positional, isInclusion }
}

export function parseAddFields(spec: Doc, scope: Scope): ProjectionNode {
  const root = createNode()
  const add = (path: string, value: unknown): void => {
    if (isDocument(value) && isNested(value)) {
      for (const name of Object.keys(value)) add(`${path}.${name}`, value[name])
    } else setLeaf(root, path, { compute: compileExpression(value, scope) })
  }
  for (const path of Object.keys(spec)) add(path, spec[path])
  return root
}

function createNode(node: Partial<ProjectionNode> = {}): ProjectionNode {
  return {
    children: new Map(),
    isNamed: false,
    transform: undefined,
    compute: undefined,
    isComputed: node.compute !== undefined,
    ...node,
  }
}

function isNested(value: Doc): boolean {
  const names = Object.keys(value)
  return names.length > 0 && !names.some((name) => name.startsWith('$'))
}

function setLeaf(root: ProjectionNode, path: string, leaf: Partial<ProjectionNode>): void {
  const parts = parseFieldPath(path)
  let node = root
  for (const [i, name] of parts.entries()) {
    if (leaf.compute !== undefined) node.isComputed = true
    const isLast = i === parts.length - 1
    const child = node.children.get(name)
    if (child !== undefined && (isLast || child.children.size === 0)) {
      if (isLast) throw new CommandError('Location31250', `Path collision at ${path}`)
      throw new CommandError(
        'Location31249',
        `Path collision at ${path} remaining portion ${parts.slice(i + 1).join('.')}`,
      )
    }
    const next = child ?? createNode(isLast ? leaf : {})
    node.children.set(name, next)
    node = next
  }
}

function parseEntry(path: string, value: unknown, state: State): void {
  if (typeof value === 'boolean' || isNumeric(value)) {
    parseFlag(path, typeof value === 'boolean' ? value : toNumber(value) !== 0, state)
  } else if (isDocument(value) && isNested(value)) {
    for (const name of Object.keys(value)) parseEntry(`${path}.${name}`, value[name], state)
  } else if (state.kind === 'find' && parseFindOperator(path, value, state)) {
    return
  } else {
    decide(path, true, state)
    setLeaf(state.root, path, { compute: compileExpression(value, state.scope) })
  }
}

function parseFlag(path: string, isIncluded: boolean, state: State): void {
  if (path === '_id') {
    state.idIsIncluded = isIncluded
    return
  }
  if (state.kind === 'find' && path.endsWith('.$')) {
    if (!isIncluded)
      throw new CommandError('Location31395', 'positional projection cannot be used with exclusion')
    if (state.positional !== undefined) {
      throw new CommandError(
        'Location31276',
        'Cannot specify more than one positional projection per query.',
      )
    }
    state.positional = path.slice(0, -2)
    parseFlag(state.positional, true, state)
    return
  }
  decide(path, isIncluded, state)
  setLeaf(state.root, path, { isNamed: true })
}

function decide(path: string, isIncluded: boolean, state: State): void {
  state.isInclusion ??= isIncluded
  if (state.isInclusion === isIncluded) return
  throw isIncluded
    ? new CommandError(
        'Location31253',
        `Cannot do inclusion on field ${path} in exclusion projection`,
      )
    : new CommandError(
        'Location31254',
        `Cannot do exclusion on field ${path} in inclusion projection`,
      )
}

function parseFindOperator(path: string, value: unknown, state: State): boolean {
  if (!isDocument(value)) return false
  const { $slice: slice, $elemMatch: condition } = value
  // Without other fields, all are returned.
  if ('$meta' in value) {
    setLeaf(state.root, path, { compute: compileExpression(value, state.scope) })
    return true
  }
  if (slice !== undefined && !isSliceExpression(slice)) {
    setLeaf(state.root, path, { transform: toSlice(slice) })
    return true
  }
  if (condition === undefined) return false
  if (path.includes('.')) {
    throw new CommandError('Location31255', 'Cannot use $elemMatch projection on a nested field')
  }
  decide(path, true, state)
  setLeaf(state.root, path, { compute: toElemMatch(path, condition, state.scope) })
  return true
}

function isSliceExpression(slice: unknown): boolean {
  return Array.isArray(slice) && !isNumeric(slice[0])
}

function toSlice(slice: unknown): (value: unknown) => unknown {
  const [first, second]: unknown[] = Array.isArray(slice) ? slice : [slice]
  if (!isNumeric(first)) {
    throw new CommandError(
      'Location28667',
      'Invalid $slice syntax. The given syntax did not match the find() or the aggregation syntax.',
    )
  }
  const start = Math.trunc(toNumber(first))
  if (second === undefined) {
    return sliceArray((array) => (start < 0 ? array.slice(start) : array.slice(0, start)))
  }
  const count = isNumeric(second) ? Math.trunc(toNumber(second)) : 0
  if (count <= 0)
    throw new CommandError('Location28729', 'Third argument to $slice must be positive')
  return sliceArray((array) => {
    const from = start < 0 ? Math.max(0, array.length + start) : start
    return array.slice(from, from + count)
  })
}

function sliceArray(slice: (array: unknown[]) => unknown[]): (value: unknown) => unknown {
  return (value) => (Array.isArray(value) ? slice(value) : value)
}

function toElemMatch(path: string, condition: unknown, scope: Scope): Expression {
  const filter = compileFilter(
    { [path]: { $elemMatch: condition } },
    { collation: scope.collation },
  )
  return (root) => {
    const array = getField(root, path)
    const hit = Array.isArray(array) ? filter.hit(root) : undefined
    return Array.isArray(array) && hit !== undefined && hit >= 0 ? [array[hit]] : undefined
  }
}
