import { suggest } from '../suggest.ts'
import { flagModifiers, valueModifiers } from './field.ts'
import { FieldProblem, type Token } from './field-problem.ts'

/** The modifiers of one field: each at most once, with the token it came from. */
export interface Modifiers {
  readonly flags: ReadonlyMap<string, Token>
  /** The token is the value behind `=`. */
  readonly values: ReadonlyMap<string, Token>
}

const footer = `modifiers: ${[...flagModifiers, ...valueModifiers.map((name) => `${name}=…`)].join(' ')}`

/**
 * Reads the modifiers behind a field's type.
 *
 * @param argument the whole argument, for messages
 * @param tokens the parts behind the type
 * @returns the modifiers by name
 * @throws FieldProblem when one is unknown, doubled, without a value, or contradicts another
 */
export function parseModifiers(argument: string, tokens: readonly Token[]): Modifiers {
  const flags = new Map<string, Token>()
  const values = new Map<string, Token>()
  for (const token of tokens) {
    const equals = token.text.indexOf('=')
    const word = equals === -1 ? token.text : token.text.slice(0, equals)
    const problem = modifierProblem(argument, token, word)
    if (problem !== undefined) throw problem
    const target = equals === -1 ? flags : values
    if (target.has(word)) {
      throw new FieldProblem(`"${word}" is given twice`, { argument, token })
    }
    const value = { text: token.text.slice(equals + 1), start: token.start + equals + 1 }
    target.set(word, equals === -1 ? token : value)
  }
  requireConsistent(argument, { flags, values })
  return { flags, values }
}

function modifierProblem(argument: string, token: Token, word: string): FieldProblem | undefined {
  const takesValue = valueModifiers.some((name) => name === word)
  const known = takesValue || flagModifiers.some((name) => name === word)
  if (!known) {
    const near = suggest(word, [...flagModifiers, ...valueModifiers])
    const hint = near === undefined ? undefined : `did you mean "${near}"?`
    const message = word === '' ? 'a modifier is missing' : `unknown modifier "${word}"`
    return new FieldProblem(message, { argument, token: { ...token, text: word }, hint, footer })
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

function requireConsistent(argument: string, modifiers: Modifiers): void {
  const optional = modifiers.flags.get('optional')
  if (optional !== undefined && modifiers.flags.has('required')) {
    throw new FieldProblem('a field is either required or optional', { argument, token: optional })
  }
  const required = modifiers.flags.get('required')
  if (required !== undefined && modifiers.values.has('default')) {
    throw new FieldProblem('a field with a default is never required', {
      argument,
      token: required,
      hint: 'leave one of the two out',
    })
  }
}
