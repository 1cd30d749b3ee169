import { didYouMean } from '../errors/suggest-name.ts'
import { FieldProblem, type Token } from './field-argument.ts'

export const flagModifiers = ['required', 'optional', 'unique', 'index', 'sparse', 'array'] as const
export const valueModifiers = ['default', 'min', 'max', 'match'] as const

// The modifiers of one field, each at most once, with the token it came from.
export interface Modifiers {
  readonly flags: ReadonlyMap<string, Token>
  /** The token is the value after `=`. */
  readonly values: ReadonlyMap<string, Token>
}

export const modifierHelp = [...flagModifiers, ...valueModifiers.map((name) => `${name}=…`)].join(
  ' ',
)

export function parseModifiers(argument: string, tokens: readonly Token[]): Modifiers {
  const flags = new Map<string, Token>()
  const values = new Map<string, Token>()
  for (const token of tokens) {
    const equals = token.text.indexOf('=')
    const word = equals === -1 ? token.text : token.text.slice(0, equals)
    const problem = findProblem(argument, token, word)
    if (problem !== undefined) throw problem
    const target = equals === -1 ? flags : values
    if (target.has(word)) {
      throw new FieldProblem(`"${word}" is repeated`, { argument, token })
    }
    const value = { text: token.text.slice(equals + 1), start: token.start + equals + 1 }
    target.set(word, equals === -1 ? token : value)
  }
  requireConsistent(argument, { flags, values })
  return { flags, values }
}

function findProblem(argument: string, token: Token, word: string): FieldProblem | undefined {
  const takesValue = valueModifiers.some((name) => name === word)
  if (!takesValue && !flagModifiers.some((name) => name === word)) {
    const message = word === '' ? 'a modifier is missing' : `unknown modifier "${word}"`
    return new FieldProblem(message, {
      argument,
      token: { ...token, text: word },
      hint: didYouMean(word, [...flagModifiers, ...valueModifiers]),
      footer: `modifiers: ${modifierHelp}`,
    })
  }
  const hasValue = token.text.includes('=')
  if (takesValue && !hasValue) {
    return new FieldProblem(`"${word}" needs a value`, { argument, token, hint: `${word}=…` })
  }
  if (!takesValue && hasValue) {
    return new FieldProblem(`"${word}" takes no value`, { argument, token })
  }
  return undefined
}

function requireConsistent(argument: string, { flags, values }: Modifiers): void {
  const [optional, required] = [flags.get('optional'), flags.get('required')]
  if (optional !== undefined && required !== undefined) {
    throw new FieldProblem('a field is either required or optional', { argument, token: optional })
  }
  if (required !== undefined && values.has('default')) {
    throw new FieldProblem('a field with a default is never required', {
      argument,
      token: required,
      hint: 'remove one of the two',
    })
  }
}
