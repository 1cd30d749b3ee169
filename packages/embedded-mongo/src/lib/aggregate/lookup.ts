import { type Doc, isDocument, valueAt, withPath } from '../bson/document.ts'
import { showValue } from '../bson/show-value.ts'
import { typeName } from '../bson/type-name.ts'
import { CommandError } from '../errors/command-error.ts'
import { compileExpression } from '../expressions/compile-expression.ts'
import { requireVariableName } from '../expressions/logic.ts'
import { requireNames } from '../expressions/operator.ts'
import { type Cell, type Expression, extendScope, type Scope } from '../expressions/scope.ts'
import { createFieldJoin } from './field-join.ts'
import { readInner, type Run, type StageContext } from './stage.ts'

export function lookup(operand: unknown, context: StageContext): Run {
  const spec = parse(operand)
  const variables = compileLet(spec.variables, context.scope)
  const join = createJoin(spec, variables, context)
  return function* lookUpAll(input) {
    const find = join()
    for (const doc of input) {
      for (const { cell, expression } of variables) cell.value = expression(doc)
      yield withPath(doc, spec.as, find(doc))
    }
  }
}

type Find = (doc: Doc) => Doc[]

// Called once per run, so that the other collection is read once and not kept.
function createJoin(
  spec: Lookup,
  variables: readonly Variable[],
  context: StageContext,
): () => Find {
  const { surroundings, scope } = context
  const cells = variables.map(({ name, cell }): [string, Cell] => [name, cell])
  const inner = context.compile(spec.pipeline, extendScope(scope, cells))
  const { from, fields } = spec
  if (from === undefined) return () => () => [...inner.runAll([])]
  if (fields !== undefined) {
    return () => {
      const join = createFieldJoin({ from, foreign: fields.foreign, surroundings })
      const local = compileExpression(`$${fields.local}`, scope)
      return (doc) => [...inner.runAll(join(local(doc)))]
    }
  }
  // Without variables every document gets the same result.
  if (variables.length === 0) {
    return () => {
      let found: Doc[] | undefined
      return () => (found ??= [...readInner(from, inner, surroundings)])
    }
  }
  const equality = findEquality(spec.pipeline, variables)
  return () => {
    let all: Doc[] | undefined
    const readAll = (): Doc[] => (all ??= [...surroundings.collection(from)])
    const join = equality && createFieldJoin({ from, foreign: equality.foreign, surroundings })
    return () => {
      const value = equality?.cell.value
      // A join matches the elements of an array, an expression compares the whole array.
      const docs = join && !Array.isArray(value) ? join(value) : readAll()
      return [...inner.runAll(docs)]
    }
  }
}

// Recognizes a pipeline that starts with a $match on `$expr: { $eq: [field, variable] }`. The join
// only narrows the search: the whole pipeline still runs over its result.
function findEquality(
  pipeline: unknown,
  variables: readonly Variable[],
): { foreign: string; cell: Cell } | undefined {
  const [first]: unknown[] = Array.isArray(pipeline) ? pipeline : []
  const expression = valueAt(first, ['$match', '$expr'])
  const all = valueAt(expression, ['$and'])
  for (const part of Array.isArray(all) ? all : [expression]) {
    const sides = valueAt(part, ['$eq'])
    if (!Array.isArray(sides)) continue
    const foreign = sides.find((side) => typeof side === 'string' && /^\$[^$]/.test(side))
    const variable = variables.find(({ name }) => sides.includes(`$$${name}`))
    if (typeof foreign === 'string' && variable)
      return { foreign: foreign.slice(1), cell: variable.cell }
  }
  return undefined
}

interface Lookup {
  from: string | undefined
  fields: { local: string; foreign: string } | undefined
  variables: Doc
  pipeline: unknown
  as: string[]
}

function parse(operand: unknown): Lookup {
  const spec = requireNames(
    operand,
    ['from?', 'localField?', 'foreignField?', 'let?', 'pipeline?', 'as'],
    '$lookup',
  )
  const { from, let: variables = {}, pipeline, as } = spec
  if (from !== undefined && typeof from !== 'string') {
    throw new CommandError(
      'FailedToParse',
      `$lookup argument 'from' must be a string, is type ${typeName(from)}`,
    )
  }
  if (from === undefined && !startsWithDocuments(pipeline))
    throw new CommandError('FailedToParse', "missing 'from' option to $lookup stage specification")
  if (typeof as !== 'string')
    throw new CommandError(
      'FailedToParse',
      `$lookup argument 'as: ${showValue(as)}' must be a string, is type ${typeName(as)}`,
    )
  if (!isDocument(variables))
    throw new CommandError(
      'FailedToParse',
      `$lookup argument 'let' must be an object, is type ${typeName(variables)}`,
    )
  const fields = parseFields(spec)
  return { from, fields, variables, pipeline: pipeline ?? [], as: as.split('.') }
}

function parseFields({
  localField: local,
  foreignField: foreign,
  pipeline,
}: Doc): Lookup['fields'] {
  if (local === undefined && foreign === undefined && pipeline !== undefined) return undefined
  if (typeof local === 'string' && typeof foreign === 'string') return { local, foreign }
  throw new CommandError(
    'FailedToParse',
    "$lookup requires either 'pipeline' or both 'localField' and 'foreignField' to be specified",
  )
}

function startsWithDocuments(pipeline: unknown): boolean {
  const first: unknown = Array.isArray(pipeline) ? pipeline[0] : undefined
  return isDocument(first) && '$documents' in first
}

interface Variable {
  name: string
  cell: Cell
  expression: Expression
}

function compileLet(variables: Doc, scope: Scope): Variable[] {
  return Object.keys(variables).map((name) => ({
    name: requireVariableName(name),
    cell: { value: undefined },
    expression: compileExpression(variables[name], scope),
  }))
}
