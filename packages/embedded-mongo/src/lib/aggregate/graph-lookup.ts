import { Long } from 'bson'
import { type Doc, isDocument, withField, withPath } from '../bson/document.ts'
import { isNumeric, toNumber } from '../bson/numeric.ts'
import { showValue } from '../bson/show-value.ts'
import { CommandError } from '../errors/command-error.ts'
import { compileExpression } from '../expressions/compile-expression.ts'
import { requireNames } from '../expressions/operator.ts'
import { encodeKey } from '../keys/encode-key.ts'
import { compileFilter } from '../query/compile-filter.ts'
import { createFieldJoin } from './field-join.ts'
import { type Run, type StageContext } from './stage.ts'

export function graphLookup(operand: unknown, context: StageContext): Run {
  const graph = parse(operand, context)
  return function* searchAll(input) {
    const join = createFieldJoin({
      from: graph.from,
      foreign: graph.to,
      surroundings: context.surroundings,
    })
    for (const doc of input) {
      yield withPath(doc, graph.as, search(graph, join, graph.startWith(doc)))
    }
  }
}

type Graph = ReturnType<typeof parse>

function parse(operand: unknown, { scope }: StageContext) {
  const spec = requireNames(
    operand,
    [
      'from',
      'startWith',
      'connectFromField',
      'connectToField',
      'as',
      'maxDepth?',
      'depthField?',
      'restrictSearchWithMatch?',
    ],
    '$graphLookup',
  )
  const { maxDepth, restrictSearchWithMatch: match } = spec
  if (maxDepth !== undefined && (!isNumeric(maxDepth) || toNumber(maxDepth) < 0)) {
    throw new CommandError('Location40101', 'maxDepth requires a nonnegative argument')
  }
  return {
    from: requireText(spec, 'from'),
    to: requireText(spec, 'connectToField'),
    next: compileExpression(`$${requireText(spec, 'connectFromField')}`, scope),
    startWith: compileExpression(spec['startWith'], scope),
    as: requireText(spec, 'as').split('.'),
    maxDepth: isNumeric(maxDepth) ? toNumber(maxDepth) : Infinity,
    depthField: spec['depthField'] === undefined ? undefined : requireText(spec, 'depthField'),
    isMatch: isDocument(match) ? compileFilter(match, { scope }) : () => true,
  }
}

function requireText(spec: Doc, name: string): string {
  const value = spec[name]
  if (typeof value === 'string') return value
  throw new CommandError(
    'Location40103',
    `expected string as argument for ${name}, found: ${showValue(value)}`,
  )
}

function search(graph: Graph, join: (local: unknown) => Iterable<Doc>, start: unknown): Doc[] {
  const found = new Map<string, Doc>()
  let frontier: unknown[] = Array.isArray(start) ? start : [start ?? null]
  for (let depth = 0; depth <= graph.maxDepth && frontier.length > 0; depth++) {
    const reached: unknown[] = []
    for (const doc of join(frontier)) {
      const key = encodeKey(doc['_id'])
      if (found.has(key) || !graph.isMatch(doc)) continue
      const { depthField } = graph
      found.set(
        key,
        depthField === undefined ? doc : withField(doc, depthField, Long.fromNumber(depth)),
      )
      const next = graph.next(doc)
      if (next !== undefined) reached.push(...(Array.isArray(next) ? next : [next]))
    }
    frontier = reached
  }
  return [...found.values()]
}
