import { type Doc, isDocument, lookUp, valueAt } from '../bson/document.ts'
import { typeName } from '../bson/type-name.ts'
import { type Collation } from '../keys/collation.ts'
import { compileFilter } from './compile-filter.ts'
import { isOperatorDocument } from './compile-field.ts'
import { explainSchema } from './explain-schema.ts'

// Says which part of a filter a document does not match, as in the `errInfo` of a failed validation.
export function explainMismatch(filter: Doc, doc: Doc, collation?: Collation): Doc {
  const matches = (clause: Doc): boolean => compileFilter(clause, { collation })(doc)
  const clauses = Object.keys(filter).map((name) => ({ [name]: filter[name] }))
  const [only] = clauses
  if (only && clauses.length === 1) return explainClause(only, doc, collation)
  return {
    operatorName: '$and',
    clausesNotSatisfied: clauses.flatMap((clause, index) =>
      matches(clause) ? [] : [{ index, details: explainClause(clause, doc, collation) }],
    ),
  }
}

function explainClause(clause: Doc, doc: Doc, collation?: Collation): Doc {
  const [name = ''] = Object.keys(clause)
  const operand = clause[name]
  if (name === '$jsonSchema' && isDocument(operand)) {
    return { operatorName: name, schemaRulesNotSatisfied: explainSchema(operand, doc) }
  }
  if ((name === '$and' || name === '$or') && Array.isArray(operand)) {
    const clauses = operand.filter((one) => isDocument(one))
    return {
      operatorName: name,
      clausesNotSatisfied: clauses.flatMap((one, index) =>
        compileFilter(one, { collation })(doc)
          ? []
          : [{ index, details: explainMismatch(one, doc, collation) }],
      ),
    }
  }
  if (name.startsWith('$')) {
    const reason = name === '$expr' ? { reason: 'expression did not match' } : {}
    return { operatorName: name, specifiedAs: clause, ...reason }
  }
  return explainField(name, operand, { doc, collation })
}

function explainField(
  path: string,
  operand: unknown,
  { doc, collation }: { doc: Doc; collation: Collation | undefined },
): Doc {
  if (isOperatorDocument(operand) && Object.keys(operand).length > 1) {
    const conditions = Object.keys(operand).map((name) => ({ [path]: { [name]: operand[name] } }))
    return explainMismatch({ $and: conditions }, doc, collation)
  }
  const operatorName = isOperatorDocument(operand) ? (Object.keys(operand)[0] ?? '') : '$eq'
  const value = valueAt(doc, path.split('.'))
  const specified = { operatorName, specifiedAs: { [path]: operand } }
  if (operatorName === '$exists') {
    return { ...specified, reason: `path does ${value === undefined ? 'not ' : ''}exist` }
  }
  if (value === undefined) return { ...specified, reason: 'field was missing' }
  return { ...specified, ...considered(lookUp(reasons, operatorName), value) }
}

const reasons: Readonly<Record<string, string>> = {
  $eq: 'comparison failed',
  $ne: 'comparison succeeded',
  $gt: 'comparison failed',
  $gte: 'comparison failed',
  $lt: 'comparison failed',
  $lte: 'comparison failed',
  $in: 'no matching value found in array',
  $nin: 'matching value found in array',
  $type: 'type did not match',
  $regex: 'regular expression did not match',
  $mod: '$mod did not evaluate to expected remainder',
  $size: 'array length was not equal to given size',
  $all: 'array did not contain all specified values',
}

function considered(reason: string | undefined, value: unknown): Doc {
  const isType = reason === 'type did not match'
  return {
    ...(reason === undefined ? {} : { reason }),
    consideredValue: value,
    ...(isType ? { consideredType: typeName(value) } : {}),
  }
}
