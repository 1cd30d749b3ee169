import {
  isNullish,
  listOperator,
  type Operator,
  type OperatorContext,
  requireNames,
} from './operator.ts'
import { type Expression } from './scope.ts'
import { mergeInto } from './simple-accumulators.ts'
import { encode } from '../bson/codec.ts'
import { type Doc, getField, isDocument, withField } from '../bson/document.ts'
import { typeName, typeNumber } from '../bson/type-name.ts'
import { CommandError } from '../errors/command-error.ts'

export const objects: Readonly<Record<string, Operator>> = {
  $mergeObjects: listOperator([0, Infinity], (values) => {
    const inputs: unknown[] = values.length === 1 && Array.isArray(values[0]) ? values[0] : values
    const merged: Doc = {}
    for (const value of inputs) mergeInto(merged, value)
    return merged
  }),
  $getField: getFieldOf,
  $setField: (operand, context) => setFieldOf(operand, ['field', 'input', 'value'], context),
  $unsetField: (operand, context) => setFieldOf(operand, ['field', 'input'], context),
  $bsonSize: listOperator([1, 1], ([value]) => {
    if (isNullish(value)) return null
    if (isDocument(value)) return encode(value).length
    throw new CommandError(
      'Location31393',
      `$bsonSize requires a document input, found: ${typeName(value)}`,
    )
  }),
  $binarySize: listOperator([1, 1], ([value]) => {
    if (isNullish(value)) return null
    if (typeof value === 'string') return Buffer.byteLength(value)
    if (typeNumber(value) === 5 && typeof value === 'object' && 'position' in value)
      return value.position
    throw new CommandError(
      'Location51276',
      `$binarySize requires a string or BinData argument, found: ${typeName(value)}`,
    )
  }),
}

function getFieldOf(operand: unknown, { compile, scope }: OperatorContext): Expression {
  const isFull = isDocument(operand) && 'field' in operand
  const spec = isFull
    ? requireNames(operand, ['field', 'input?'], '$getField')
    : { field: operand, input: '$$CURRENT' }
  const field = compile(spec['field'], scope)
  const input = compile(spec['input'] ?? '$$CURRENT', scope)
  return (root) => {
    const name = field(root)
    if (typeof name !== 'string')
      throw new CommandError(
        'Location5654602',
        `$getField requires 'field' to evaluate to type String, but got ${typeName(name)}`,
      )
    const value = input(root)
    return isDocument(value) ? getField(value, name) : isNullish(value) ? null : undefined
  }
}

function setFieldOf(
  operand: unknown,
  names: readonly string[],
  { name, compile, scope }: OperatorContext,
): Expression {
  const spec = requireNames(operand, names, name)
  const field = compile(spec['field'], scope)
  const input = compile(spec['input'], scope)
  const value = 'value' in spec ? compile(spec['value'], scope) : () => undefined
  return (root) => {
    const doc = input(root)
    if (isNullish(doc)) return null
    if (!isDocument(doc))
      throw new CommandError(
        'Location4161105',
        `${name} requires 'input' to evaluate to type Object`,
      )
    const target = field(root)
    if (typeof target !== 'string')
      throw new CommandError(
        'Location4161107',
        `${name} requires 'field' to evaluate to type String, but got ${typeName(target)}`,
      )
    return withField(doc, target, value(root))
  }
}
