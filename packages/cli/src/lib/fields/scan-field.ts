import { type Token } from './field-problem.ts'

/**
 * Splits a field argument at its colons; `\:` is a colon that does not split.
 *
 * @param argument the argument as typed
 * @returns the parts in order, each with its place; their text still holds the backslashes
 */
export function scanField(argument: string): readonly Token[] {
  const tokens: Token[] = []
  let start = 0
  for (let index = 0; index <= argument.length; index += 1) {
    if (argument[index] === '\\' && argument[index + 1] === ':') {
      index += 1
      continue
    }
    if (index === argument.length || argument[index] === ':') {
      tokens.push({ text: argument.slice(start, index), start })
      start = index + 1
    }
  }
  return tokens
}

/**
 * Replaces the escaped colons of a value.
 *
 * @param text a token's text
 * @returns the value meant
 */
export function unescapeColons(text: string): string {
  return text.replaceAll('\\:', ':')
}
