import { BSONRegExp, Double } from 'bson'
import { isDocument } from './document.ts'
import { isNumeric } from './numeric.ts'
import { typeName } from './type-name.ts'

export function showValue(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value)
  if (Array.isArray(value)) return `[ ${value.map((item) => showValue(item)).join(', ')} ]`
  if (isDocument(value)) {
    const fields = Object.keys(value).map((name) => `${name}: ${showValue(value[name])}`)
    return fields.length === 0 ? '{}' : `{ ${fields.join(', ')} }`
  }
  if (value === undefined) return 'MISSING'
  if (value === null || typeof value === 'boolean') return String(value)
  return showClass(value)
}

function showClass(value: unknown): string {
  if (value instanceof Date) return `new Date(${value.getTime()})`
  if (value instanceof Double) return value.value.toFixed(1)
  if (value instanceof BSONRegExp) return `/${value.pattern}/${value.options}`
  if (isNumeric(value)) return value.toString()
  const text = JSON.stringify(value)
  return typeName(value) === 'objectId' ? `ObjectId('${text.slice(1, -1)}')` : text
}
