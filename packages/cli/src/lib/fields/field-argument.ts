// A part of a field argument and its position.
export interface Token {
  readonly text: string
  readonly start: number
}

// The place of a problem, and how to fix it.
export interface FieldProblemContext {
  readonly argument: string
  readonly token: Token
  /** Printed after the carets. */
  readonly hint?: string | undefined
  /** Printed on its own line. */
  readonly footer?: string | undefined
}

export class FieldProblem extends Error {
  override readonly name = 'FieldProblem'
  readonly context: FieldProblemContext

  constructor(message: string, context: FieldProblemContext) {
    super(message)
    this.context = context
  }

  // The argument with carets under the wrong token.
  toLines(): readonly string[] {
    const { argument, footer, hint, token } = this.context
    const carets = ' '.repeat(token.start) + '^'.repeat(Math.max(1, token.text.length))
    const lines = [`  ${argument}`, `  ${carets}${hint === undefined ? '' : `  ${hint}`}`]
    return footer === undefined ? lines : [...lines, `  ${footer}`]
  }
}

// Splits a field argument at its colons. `\:` is a literal colon; tokens keep their backslashes.
export function scanField(argument: string): readonly Token[] {
  const tokens: Token[] = []
  let start = 0
  for (let index = 0; index <= argument.length; index += 1) {
    if (argument[index] === '\\' && argument[index + 1] === ':') {
      index += 1
    } else if (index === argument.length || argument[index] === ':') {
      tokens.push({ text: argument.slice(start, index), start })
      start = index + 1
    }
  }
  return tokens
}

export function unescapeColons(text: string): string {
  return text.replaceAll('\\:', ':')
}
