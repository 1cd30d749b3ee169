import { didYouMean } from '../errors/suggest-name.ts'
import { toModelName } from '../names/resource-names.ts'
import { type ValueType } from './field.ts'
import { FieldProblem, type Token } from './field-argument.ts'
import { fieldKinds, fieldTypes, isScalarKind, toFieldType } from './field-types.ts'
import { flagModifiers, valueModifiers } from './parse-modifiers.ts'

// The type at the front of a field's parts, and the parts after it.
export interface ParsedType {
  readonly type: ValueType
  readonly array: boolean
  /** From a `?` or `!` after the type. */
  readonly required: boolean | undefined
  readonly rest: readonly Token[]
}

const aliases = new Map(
  fieldKinds.flatMap((kind) => (toFieldType(kind).aliases ?? []).map((alias) => [alias, kind])),
)
const words = [...fieldKinds, 'array']
const footer = `types: ${words.join(' ')}`
const modelPattern = /^[A-Za-z][A-Za-z0-9]*$/
const enumValuePattern = /^[\p{L}\p{N}][\p{L}\p{N} ._+/-]{0,99}$/u

// Without a type the field is a string.
export function parseType(argument: string, tokens: readonly Token[]): ParsedType {
  const [first, ...rest] = tokens
  if (first === undefined || isModifier(first.text)) {
    return { type: { kind: 'string' }, array: false, required: undefined, rest: tokens }
  }
  if (first.text === 'array') return parseArray(argument, rest)
  const { word, ...suffix } = splitSuffix(first)
  const [, operator, inner] = /^(enum|ref)\((.*)\)$/.exec(word.text) ?? []
  if ((operator === 'enum' || operator === 'ref') && inner !== undefined) {
    const operand = { text: inner, start: first.start + operator.length + 1 }
    return { type: parseOperand[operator](argument, operand), ...suffix, rest }
  }
  const kind = aliases.get(word.text) ?? word.text
  if (kind === 'enum' || kind === 'ref') return parseWithOperand(argument, kind, { word, rest })
  if (isScalarKind(kind)) return { type: { kind }, ...suffix, rest }
  throw unknownType(argument, word)
}

function parseArray(argument: string, rest: readonly Token[]): ParsedType {
  const element = parseType(argument, rest)
  if (element.array && rest[0] !== undefined) {
    throw new FieldProblem('an array of arrays is not supported', { argument, token: rest[0] })
  }
  return { ...element, array: true }
}

function parseWithOperand(
  argument: string,
  kind: 'enum' | 'ref',
  { rest: [operand, ...rest], word }: { readonly word: Token; readonly rest: readonly Token[] },
): ParsedType {
  if (operand === undefined || operand.text === '') {
    const { example, what } = fieldTypes[kind].operand
    throw new FieldProblem(`"${kind}" needs ${what}`, {
      argument,
      token: word,
      hint: `for example ${example}`,
    })
  }
  const { word: value, ...suffix } = splitSuffix(operand)
  return { type: parseOperand[kind](argument, value), ...suffix, rest }
}

const parseOperand = { enum: parseEnum, ref: parseRef }

function parseRef(argument: string, operand: Token): ValueType {
  if (!modelPattern.test(operand.text)) {
    throw new FieldProblem(`"${operand.text}" is not a model name`, {
      argument,
      token: operand,
      hint: `for example ${fieldTypes.ref.operand.example}`,
    })
  }
  return { kind: 'ref', model: toModelName(operand.text) }
}

function parseEnum(argument: string, operand: Token): ValueType {
  const values: string[] = []
  let { start } = operand
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
      throw new FieldProblem(`enum value "${value}" is repeated`, { argument, token })
    }
    values.push(value)
  }
  return { kind: 'enum', values }
}

interface SuffixedWord {
  readonly word: Token
  readonly array: boolean
  readonly required: boolean | undefined
}

// string?  string!  string[]  string[]?
function splitSuffix({ start, text }: Token): SuffixedWord {
  const [, word = '', brackets, mark] = /^(.*?)(\[\])?([?!])?$/s.exec(text) ?? []
  return {
    word: { text: word, start },
    array: brackets !== undefined,
    required: mark === undefined ? undefined : mark === '!',
  }
}

function isModifier(text: string): boolean {
  const word = text.split('=')[0]
  if (text.includes('=')) return valueModifiers.some((modifier) => modifier === word)
  return text !== 'array' && flagModifiers.some((modifier) => modifier === text)
}

function unknownType(argument: string, token: Token): FieldProblem {
  const message = token.text === '' ? 'a type is missing' : `unknown type "${token.text}"`
  const hint = didYouMean(token.text, [...words, ...aliases.keys(), ...flagModifiers])
  return new FieldProblem(message, { argument, token, hint, footer })
}
