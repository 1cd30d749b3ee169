import { number, text } from '../code/literals.ts'
import { type ModelPath } from '../project/model-description.ts'

export interface DefaultCode {
  /** What follows the schema. */
  readonly suffix: string
  /** What a client reads after leaving the field out. */
  readonly readDefault: string
}

// Undefined without a default, and for one that only the model knows.
export function toDefaultCode(path: ModelPath): DefaultCode | undefined {
  const { default: stated, type } = path
  if (stated === undefined) return undefined
  if ('value' in stated) return toConstant(stated.value, path)
  if (stated.by === 'mongoose') return toLiteral('[]')
  if (stated.by === 'function' || type !== 'Date') return undefined
  return {
    suffix: '.default(() => new Date().toISOString())',
    readDefault: 'expect.any(String)',
  }
}

function toConstant(value: unknown, { enum: values, type }: ModelPath): DefaultCode | undefined {
  if (value === null) return { suffix: '.nullable().default(null)', readDefault: 'null' }
  if (values?.every((one) => one !== value)) return undefined
  const code = literals.get(type)?.(value)
  return code === undefined ? undefined : toLiteral(code)
}

type ToCode = (value: unknown) => string | undefined

const toTextCode: ToCode = (value) => (typeof value === 'string' ? text(value) : undefined)
const toNumberCode: ToCode = (value) => (typeof value === 'number' ? number(value) : undefined)
const isEmpty = (value: unknown): boolean => Object.keys(Object(value)).length === 0

const literals: ReadonlyMap<string, ToCode> = new Map<string, ToCode>([
  ['String', toTextCode],
  ['UUID', toTextCode],
  ['Decimal128', toTextCode],
  ['Date', toTextCode],
  ['Number', toNumberCode],
  ['Double', toNumberCode],
  ['Int32', toNumberCode],
  ['Boolean', (value) => (typeof value === 'boolean' ? String(value) : undefined)],
  ['Array', (value) => (Array.isArray(value) && isEmpty(value) ? '[]' : undefined)],
  ['Map', (value) => (typeof value === 'object' && isEmpty(value) ? '{}' : undefined)],
])

const toLiteral = (code: string): DefaultCode => ({
  suffix: `.default(${code})`,
  readDefault: code,
})
