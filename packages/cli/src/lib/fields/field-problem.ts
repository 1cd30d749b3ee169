/** A part of a field argument, with its place in it. */
export interface Token {
  readonly text: string
  readonly start: number
}

/** What is wrong with one field argument, and where. */
export class FieldProblem extends Error {
  override readonly name = 'FieldProblem'
  readonly argument: string
  readonly token: Token
  readonly hint: string | undefined
  readonly footer: string | undefined

  constructor(message: string, place: FieldPlace) {
    super(message)
    this.argument = place.argument
    this.token = place.token
    this.hint = place.hint
    this.footer = place.footer
  }

  /**
   * Shows the argument with carets under the wrong token.
   *
   * @returns the lines, indented by two spaces
   */
  toLines(): readonly string[] {
    const carets = '^'.repeat(Math.max(1, this.token.text.length))
    const hint = this.hint === undefined ? '' : `  ${this.hint}`
    const lines = [`  ${this.argument}`, `  ${' '.repeat(this.token.start)}${carets}${hint}`]
    return this.footer === undefined ? lines : [...lines, `  ${this.footer}`]
  }
}

/** Where a problem is and what would cure it. */
export interface FieldPlace {
  readonly argument: string
  readonly token: Token
  /** Printed behind the carets. */
  readonly hint?: string | undefined
  /** Printed on a line of its own. */
  readonly footer?: string | undefined
}
