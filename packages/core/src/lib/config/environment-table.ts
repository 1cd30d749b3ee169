import { fallbackOf } from './read-variables.ts'
import { type Environment, type Variable, variables } from './variables.ts'

/** One row: a variable and all that is known about it. */
export interface EnvironmentRow {
  /** Name of the variable. */
  readonly name: string
  /** The option that says the same in code. */
  readonly option: string
  /** What it means. */
  readonly meaning: string
  /** Default by environment, as it would be written; undefined is none. */
  readonly defaults: Readonly<Record<Environment, string | undefined>>
  /** Whether it must not be shown. */
  readonly isSecret: boolean
  /** A value for `.env.example`; empty where there is none to give. */
  readonly example: string
}

/** Every variable that `createApi` reads. */
export const environmentTable: readonly EnvironmentRow[] = Object.entries(variables).map(toRow)

function toRow([name, variable]: [string, Variable]): EnvironmentRow {
  const { option, meaning, secret = false, example } = variable
  const defaults = {
    production: fallbackOf(variable, 'production'),
    development: fallbackOf(variable, 'development'),
    test: fallbackOf(variable, 'test'),
  }
  return {
    name,
    option,
    meaning,
    defaults,
    isSecret: secret,
    example: example ?? defaults.development ?? '',
  }
}
