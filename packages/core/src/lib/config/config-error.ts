/** What is wrong with one option or variable. */
export interface ConfigProblem {
  /** The variable of the environment, or the path of the option: `PORT`, `server.port`. */
  readonly name: string
  /** What is wrong and how to put it right; never the value. */
  readonly problem: string
}

/** The configuration cannot be used: every problem at once. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError'
  /** One by one. */
  declare readonly problems: readonly ConfigProblem[]

  /**
   * @param problems - at least one
   */
  constructor(problems: readonly ConfigProblem[]) {
    super(toText(problems))
    // Whoever starts the service reads this in a terminal, and has no use for our call stack.
    this.stack = `${this.name}: ${this.message}`
    Object.defineProperty(this, 'problems', { value: problems })
  }
}

function toText(problems: readonly ConfigProblem[]): string {
  const width = Math.max(...problems.map(({ name }) => name.length))
  const lines = problems.map(({ name, problem }) => `  ${name.padEnd(width)}  ${problem}`)
  return `The configuration cannot be used:\n${lines.join('\n')}`
}
