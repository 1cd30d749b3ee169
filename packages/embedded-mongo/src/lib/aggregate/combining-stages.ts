import { type Doc, isDocument, setField } from '../bson/document.ts'
import { typeName } from '../bson/type-name.ts'
import { CommandError } from '../errors/command-error.ts'
import { requireNames } from '../expressions/operator.ts'
import { readInner, type Run, type StageContext } from './stage.ts'

const notInFacet = new Set(['$out', '$merge', '$facet', '$documents', '$changeStream'])

export function facet(operand: unknown, context: StageContext): Run {
  if (!isDocument(operand) || Object.keys(operand).length === 0) {
    throw new CommandError('Location40169', 'the $facet specification must be a non-empty object')
  }
  const facets = Object.keys(operand).map((name) => {
    const stages = operand[name]
    if (!Array.isArray(stages)) {
      throw new CommandError(
        'Location40170',
        `arguments to $facet must be arrays, ${name} is type ${typeName(stages)}`,
      )
    }
    for (const stage of stages) {
      const [bad] = isDocument(stage) ? Object.keys(stage).filter((key) => notInFacet.has(key)) : []
      if (bad !== undefined) {
        throw new CommandError(
          'Location40600',
          `${bad} is not allowed to be used within a $facet stage`,
        )
      }
    }
    return { name, pipeline: context.compile(stages, context.scope) }
  })
  return function* runFacets(input) {
    const docs = [...input]
    const result: Doc = {}
    for (const { name, pipeline } of facets) setField(result, name, [...pipeline.runAll(docs)])
    yield result
  }
}

export function unionWith(operand: unknown, context: StageContext): Run {
  const spec: Doc =
    typeof operand === 'string'
      ? { coll: operand }
      : requireNames(operand, ['coll?', 'pipeline?'], '$unionWith')
  const { coll, pipeline = [] } = spec
  const inner = context.compile(pipeline, context.scope)
  return function* both(input) {
    yield* input
    if (coll === undefined) yield* inner.runAll([])
    else if (typeof coll === 'string') yield* readInner(coll, inner, context.surroundings)
    else
      throw new CommandError(
        'TypeMismatch',
        `BSON field '$unionWith.coll' is the wrong type '${typeName(coll)}', expected type 'string'`,
      )
  }
}
