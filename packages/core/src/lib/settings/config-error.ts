import { type ConfigProblem } from '../options/options.ts'

/** Thrown when the configuration cannot be used. Lists every problem at once. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError'
  /** The problems, one for each option or variable. */
  declare readonly problems: readonly ConfigProblem[]

  /**
   * @param problems - the problems, at least one
   */
  constructor(problems: readonly ConfigProblem[]) {
    super(formatProblems(problems))
    // It is read in a terminal by the person who starts the service: the call stack is noise.
    this.stack = `${this.name}: ${this.message}`
    Object.defineProperty(this, 'problems', { value: problems })
  }
}

function formatProblems(problems: readonly ConfigProblem[]): string {
  const width = Math.max(...problems.map(({ name }) => name.length))
  const lines = problems.map(({ name, problem }) => `  ${name.padEnd(width)}  ${problem}`)
  return `The configuration cannot be used:\n${lines.join('\n')}`
}
