import { type Doc, isDocument } from '../bson/document.ts'
import { addExpressionFields } from '../expressions/expression-fields.ts'
import { type FieldSet } from '../keys/field-set.ts'
import { isDbRefField } from './compile-field.ts'

export function addFilterFields(filter: Doc, fields: FieldSet): void {
  for (const [name, operand] of Object.entries(filter)) {
    if (!name.startsWith('$') || isDbRefField(name)) fields.add(name)
    else if (name === '$expr') addExpressionFields(operand, fields)
    else if (['$and', '$or', '$nor'].includes(name) && Array.isArray(operand)) {
      for (const part of operand) if (isDocument(part)) addFilterFields(part, fields)
    } else if (name !== '$comment') fields.addAll()
  }
}
