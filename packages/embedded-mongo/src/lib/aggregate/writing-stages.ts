import { type Doc, isDocument, valueAt } from '../bson/document.ts'
import { typeName } from '../bson/type-name.ts'
import { CommandError } from '../errors/command-error.ts'
import { compileExpression } from '../expressions/compile-expression.ts'
import { requireNames } from '../expressions/operator.ts'
import { type Cell, extendScope } from '../expressions/scope.ts'
import { lazily } from './document-stages.ts'
import { type Run, type StageContext, type WriteTarget } from './stage.ts'

export function out(operand: unknown, context: StageContext): Run {
  const { collection, database } = parseTarget(operand, '$out')
  const target = context.surroundings.write(collection, database)
  return (input) => writing(() => target.replaceAll(input))
}

// A stage that writes when it is read and returns nothing.
function writing(write: () => void): Iterable<Doc> {
  return lazily(() => {
    write()
    return []
  })
}

interface Target {
  collection: string
  database: string | undefined
}

function parseTarget(operand: unknown, name: string): Target {
  if (typeof operand === 'string') return { collection: operand, database: undefined }
  if (!isDocument(operand)) {
    throw new CommandError(
      'Location16990',
      `${name} only supports a string or object argument, but found ${typeName(operand)}`,
    )
  }
  const { db, coll } = requireNames(operand, ['db?', 'coll'], name)
  if (typeof coll !== 'string' || (db !== undefined && typeof db !== 'string')) {
    throw new CommandError(
      'Location16994',
      `If an object is passed to ${name} it must have exactly 2 fields: 'db' and 'coll'`,
    )
  }
  return { collection: coll, database: db }
}

export function merge(operand: unknown, context: StageContext): Run {
  const plan = parseMerge(operand, context)
  const target = context.surroundings.write(plan.into.collection, plan.into.database)
  if (plan.isExplicit && !target.isUnique(plan.on)) {
    throw new CommandError(
      'Location51183',
      `Cannot find index to verify that join fields will be unique`,
    )
  }
  // Read everything first: the pipeline may read what is about to be written.
  return (input) =>
    writing(() => {
      const docs = [...input]
      for (const doc of docs) mergeOne(doc, plan, target)
    })
}

interface MergePlan {
  into: Target
  on: string[]
  // The client named the fields, so a unique index has to cover them (`_id` always has one).
  isExplicit: boolean
  // Undefined for `fail`, which inserts: the unique index rejects the document.
  whenMatched: ((before: Doc, doc: Doc) => Doc | undefined) | undefined
  whenNotMatched: string
}

function parseMerge(operand: unknown, context: StageContext): MergePlan {
  const spec: Doc =
    typeof operand === 'string'
      ? { into: operand }
      : requireNames(operand, ['into', 'on?', 'let?', 'whenMatched?', 'whenNotMatched?'], '$merge')
  const { on = '_id', whenMatched = 'merge', whenNotMatched = 'insert' } = spec
  if (
    typeof whenNotMatched !== 'string' ||
    !['insert', 'discard', 'fail'].includes(whenNotMatched)
  ) {
    throw new CommandError(
      'BadValue',
      `Enumeration value '${String(whenNotMatched)}' for field '$merge.whenNotMatched' is not a valid value.`,
    )
  }
  return {
    into: parseTarget(spec['into'], '$merge'),
    on: (Array.isArray(on) ? on : [on]).map(String),
    isExplicit: spec['on'] !== undefined,
    whenMatched: compileMatched(whenMatched, spec['let'], context),
    whenNotMatched,
  }
}

function compileMatched(
  whenMatched: unknown,
  variables: unknown,
  context: StageContext,
): MergePlan['whenMatched'] {
  switch (whenMatched) {
    case 'merge':
      return (before, doc) => ({ ...before, ...doc })
    case 'replace':
      return (before, doc) => ({ ...doc, _id: before['_id'] })
    case 'keepExisting':
      return () => undefined
    case 'fail':
      return undefined
    default:
      return compileMatchedPipeline(whenMatched, variables, context)
  }
}

function compileMatchedPipeline(
  stages: unknown,
  variables: unknown,
  context: StageContext,
): MergePlan['whenMatched'] {
  if (!Array.isArray(stages)) {
    throw new CommandError(
      'Location51191',
      `BSON field 'whenMatched' is the wrong type '${typeName(stages)}', expected string or array`,
    )
  }
  const spec = isDocument(variables) ? variables : { new: '$$ROOT' }
  const cells = Object.keys(spec).map((name): [string, Cell] => [name, { value: undefined }])
  const reads = Object.keys(spec).map((name) => compileExpression(spec[name], context.scope))
  const pipeline = context.compile(stages, extendScope(context.scope, cells))
  return (before, doc) => {
    for (const [i, [, cell]] of cells.entries()) cell.value = reads[i]?.(doc)
    const [result] = pipeline.runAll([before])
    return result
  }
}

function mergeOne(doc: Doc, plan: MergePlan, target: WriteTarget): void {
  const filter = Object.fromEntries(
    plan.on.map((field) => [field, { $eq: valueAt(doc, field.split('.')) ?? null }]),
  )
  const before = target.findOne(filter)
  if (before !== undefined && plan.whenMatched) {
    const after = plan.whenMatched(before, doc)
    if (after !== undefined) target.replace(before, after)
  } else if (before !== undefined || plan.whenNotMatched === 'insert') target.insert(doc)
  else if (plan.whenNotMatched === 'fail') {
    throw new CommandError(
      'MergeStageNoMatchingDocument',
      '$merge could not find a matching document in the target collection for at least one document in the source collection',
    )
  }
}
