import { toModelName } from '../names/resource-names.ts'
import { suggest } from '../suggest.ts'
import {
  flagModifiers,
  scalarTypes,
  typeAliases,
  typeWords,
  valueModifiers,
  type ScalarType,
  type ValueType,
} from './field.ts'
import { FieldProblem, type Token } from './field-problem.ts'

/** A type read from the front of a field's parts, and what is left. */
export interface ParsedType {
  readonly type: ValueType
  readonly array: boolean
  /** From a `?` or `!` behind the type. */
  readonly required: boolean | undefined
  readonly rest: readonly Token[]
}

const footer = `types: ${typeWords.join(' ')}`
const modelPattern = /^[A-Za-z][A-Za-z0-9]*$/
const enumValuePattern = /^[\p{L}\p{N}][\p{L}\p{N} ._+/-]{0,99}$/u

/**
 * Reads the type at the front of a field's parts.
 *
 * @param argument the whole argument, for messages
 * @param tokens the parts behind the name
 * @returns the type; a string when the parts begin with a modifier or are empty
 * @throws FieldProblem when the type is unknown or incomplete
 */
export function parseType(argument: string, tokens: readonly Token[]): ParsedType {
  const [first, ...rest] = tokens
  if (first === undefined || isModifier(first.text)) {
    return { type: { kind: 'string' }, array: false, required: undefined, rest: tokens }
  }
  if (first.text === 'array') return parseArray(argument, rest)
  const { word, ...suffix } = splitSuffix(first)
  const parenthesised = /^(enum|ref)\((.*)\)$/.exec(word.text)
  if (parenthesised?.[1] !== undefined && parenthesised[2] !== undefined) {
    const inner = { text: parenthesised[2], start: first.start + parenthesised[1].length + 1 }
    return { type: parseNamed(argument, parenthesised[1], inner), ...suffix, rest }
  }
  const kind = typeAliases[word.text] ?? word.text
  if (kind === 'enum' || kind === 'ref') return parseWithOperand(argument, { kind, word, rest })
  if (isScalar(kind)) return { type: { kind }, ...suffix, rest }
  throw unknownType(argument, word)
}

function parseArray(argument: string, rest: readonly Token[]): ParsedType {
  const element = parseType(argument, rest)
  if (element.array && rest[0] !== undefined) {
    throw new FieldProblem('an array of arrays is not supported', { argument, token: rest[0] })
  }
  return { ...element, array: true }
}

interface Operator {
  readonly kind: 'enum' | 'ref'
  readonly word: Token
  readonly rest: readonly Token[]
}

function parseWithOperand(argument: string, operator: Operator): ParsedType {
  const [operand, ...rest] = operator.rest
  if (operand === undefined || operand.text === '') {
    const example = operator.kind === 'enum' ? 'enum:draft,published' : 'ref:User'
    throw new FieldProblem(`"${operator.kind}" needs ${describe(operator.kind)}`, {
      argument,
      token: operator.word,
      hint: `for example ${example}`,
    })
  }
  const { word, ...suffix } = splitSuffix(operand)
  return { type: parseNamed(argument, operator.kind, word), ...suffix, rest }
}

function describe(kind: 'enum' | 'ref'): string {
  return kind === 'enum' ? 'its values' : 'the name of a model'
}

function parseNamed(argument: string, kind: string, operand: Token): ValueType {
  return kind === 'enum' ? parseEnum(argument, operand) : parseRef(argument, operand)
}

function parseRef(argument: string, operand: Token): ValueType {
  if (!modelPattern.test(operand.text)) {
    throw new FieldProblem(`"${operand.text}" is not a model name`, {
      argument,
      token: operand,
      hint: 'for example ref:User',
    })
  }
  return { kind: 'ref', model: toModelName(operand.text) }
}

function parseEnum(argument: string, operand: Token): ValueType {
  const values: string[] = []
  let start = operand.start
  for (const value of operand.text.split(',')) {
    const token = { text: value, start }
    start += value.length + 1
    if (!enumValuePattern.test(value)) {
      const message = value === '' ? 'an enum value is empty' : `"${value}" is not an enum value`
      throw new FieldProblem(message, {
        argument,
        token,
        hint: 'letters, digits, space and . _ + / -, separated by commas',
      })
    }
    if (values.includes(value)) {
      throw new FieldProblem(`enum value "${value}" is given twice`, { argument, token })
    }
    values.push(value)
  }
  return { kind: 'enum', values }
}

interface Suffixed {
  readonly word: Token
  readonly array: boolean
  readonly required: boolean | undefined
}

function splitSuffix(token: Token): Suffixed {
  let text = token.text
  let required: boolean | undefined
  if (text.endsWith('?') || text.endsWith('!')) {
    required = text.endsWith('!')
    text = text.slice(0, -1)
  }
  const array = text.endsWith('[]')
  if (array) text = text.slice(0, -2)
  return { word: { text, start: token.start }, array, required }
}

function isScalar(kind: string): kind is ScalarType {
  return scalarTypes.some((scalar) => scalar === kind)
}

function isModifier(text: string): boolean {
  const word = text.split('=')[0]
  if (text.includes('=')) return valueModifiers.some((modifier) => modifier === word)
  return text !== 'array' && flagModifiers.some((modifier) => modifier === text)
}

function unknownType(argument: string, token: Token): FieldProblem {
  const near = suggest(token.text, [...typeWords, ...Object.keys(typeAliases), ...flagModifiers])
  const message = token.text === '' ? 'a type is missing' : `unknown type "${token.text}"`
  const hint = near === undefined ? undefined : `did you mean "${near}"?`
  return new FieldProblem(message, { argument, token, hint, footer })
}
