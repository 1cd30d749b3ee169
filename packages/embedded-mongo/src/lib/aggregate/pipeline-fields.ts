import { type Doc, isDocument } from '../bson/document.ts'
import { isNumeric } from '../bson/numeric.ts'
import { addExpressionFields } from '../expressions/expression-fields.ts'
import { isTrue } from '../expressions/operator.ts'
import { FieldSet } from '../keys/field-set.ts'
import { addFilterFields } from '../query/filter-fields.ts'

type AddFields = (operand: unknown, fields: FieldSet) => void

// Stages whose output has nothing of a document but what these fields say.
const last: ReadonlyMap<string, AddFields> = new Map<string, AddFields>([
  ['$bucket', addExpressionFields],
  ['$bucketAuto', addExpressionFields],
  ['$count', () => {}],
  ['$group', addExpressionFields],
  ['$project', addProjectionFields],
  ['$sortByCount', addExpressionFields],
])

// Stages that pass documents on.
const passing: ReadonlyMap<string, AddFields> = new Map<string, AddFields>([
  ['$addFields', addExpressionFields],
  ['$limit', () => {}],
  ['$match', (operand, fields) => isDocument(operand) && addFilterFields(operand, fields)],
  ['$set', addExpressionFields],
  ['$skip', () => {}],
  ['$sort', addSortFields],
  ['$unwind', addExpressionFields],
])

// The fields that a pipeline reads of its input; undefined for all.
export function pipelineFields(stages: readonly Doc[]): ReadonlySet<string> | undefined {
  const fields = new FieldSet()
  for (const stage of stages) {
    const [[name, operand] = ['', undefined]] = Object.entries(stage)
    const addLast = last.get(name)
    addLast?.(operand, fields)
    if (addLast) return fields.names
    const add = passing.get(name)
    if (!add) return undefined
    add(operand, fields)
  }
  return undefined
}

function addSortFields(operand: unknown, fields: FieldSet): void {
  if (!isDocument(operand)) return
  for (const [path, direction] of Object.entries(operand)) {
    if (isNumeric(direction)) fields.add(path)
    else fields.addAll()
  }
}

function addProjectionFields(operand: unknown, fields: FieldSet): void {
  if (!isDocument(operand)) return
  fields.add('_id')
  for (const [path, value] of Object.entries(operand)) {
    const isFlag = isNumeric(value) || typeof value === 'boolean'
    // Excludes a field, and keeps the others.
    if (isFlag && !isTrue(value) && path !== '_id') fields.addAll()
    fields.add(path)
    addExpressionFields(value, fields)
  }
  if (Object.keys(operand).every((path) => path === '_id')) fields.addAll()
}
