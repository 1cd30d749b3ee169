import { isDocument } from '../bson/document.ts'
import { type FieldSet } from '../keys/field-set.ts'

// They read fields that their operands do not name with `$`, or a document as a whole.
const opaque = new Set(['$getField', '$meta', '$top', '$topN', '$bottom', '$bottomN'])

export function addExpressionFields(value: unknown, fields: FieldSet): void {
  if (typeof value === 'string') {
    if (/^\$\$(?:ROOT|CURRENT)\b/.test(value)) fields.addAll()
    else if (/^\$[^$]/.test(value)) fields.add(value.slice(1))
  } else if (Array.isArray(value)) {
    for (const item of value) addExpressionFields(item, fields)
  } else if (isDocument(value)) {
    for (const [name, operand] of Object.entries(value)) {
      if (opaque.has(name)) fields.addAll()
      addExpressionFields(operand, fields)
    }
  }
}
