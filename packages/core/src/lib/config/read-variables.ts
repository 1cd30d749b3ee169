import { type output } from 'zod'
import { type ConfigProblem } from './config-error.ts'
import { type Environment, type Variable, type VariableName, variables } from './variables.ts'

/** The variables of a process. */
export type ProcessEnvironment = Readonly<Record<string, string | undefined>>

/** The value of every variable, read and checked. */
export type Values = { readonly [Name in VariableName]: ValueOf<(typeof variables)[Name]> }

// Without a fallback for every environment a variable can be absent.
type ValueOf<V extends Variable> = V extends {
  readonly fallback: string | Readonly<Record<Environment, string>>
}
  ? output<V['schema']>
  : output<V['schema']> | undefined

/** What was found. */
export interface Reading {
  /** Complete when there are no problems. */
  readonly values: Partial<Values>
  readonly problems: readonly ConfigProblem[]
}

/**
 * Reads every variable: the option of the same meaning wins, then the environment, then the
 * default. What belongs to a part that is switched off in code is not looked at.
 * @param config - the options of `createApi`
 * @param env - the environment
 * @returns values and problems
 */
export function readVariables(config: object, env: ProcessEnvironment): Reading {
  const environment = readEnvironment(config, env)
  const entries: [string, Variable][] = Object.entries(variables)
  const values: Record<string, unknown> = {}
  const problems: ConfigProblem[] = []
  for (const [name, variable] of entries) {
    const option = getOption(config, variable.option)
    const given = option ?? (isSwitchedOff(config, variable.option) ? undefined : env[name])
    const value = given ?? fallbackOf(variable, environment)
    if (value === undefined) continue
    const result = variable.schema.safeParse(value)
    if (result.success) values[name] = result.data
    else {
      const problem = result.error.issues[0]?.message ?? 'is not valid'
      problems.push({ name: option === undefined ? name : variable.option, problem })
    }
  }
  return { values, problems }
}

/**
 * Says what holds when neither option nor variable is given.
 * @param variable - the variable
 * @param environment - where the service runs
 * @returns the default, as it would be written in the environment
 */
export function fallbackOf(variable: Variable, environment: Environment): string | undefined {
  const { fallback } = variable
  return typeof fallback === 'object' ? fallback[environment] : fallback
}

// The defaults of the others depend on it; what is wrong with it is told with the others.
function readEnvironment(config: object, env: ProcessEnvironment): Environment {
  const value = getOption(config, variables.NODE_ENV.option) ?? env['NODE_ENV']
  const result = variables.NODE_ENV.schema.safeParse(value)
  return result.success ? result.data : 'development'
}

/**
 * Reads an option by its path.
 * @param config - the options of `createApi`
 * @param path - such as `server.port`
 * @returns the option, or undefined when it is left open
 */
export function getOption(config: object, path: string): unknown {
  let value: unknown = config
  for (const key of path.split('.')) {
    if (typeof value !== 'object' || value === null) return undefined
    value = Reflect.get(value, key)
  }
  return value
}

function isSwitchedOff(config: object, path: string): boolean {
  const groups = path.split('.').slice(0, -1)
  return groups.some(
    (_, index) => getOption(config, groups.slice(0, index + 1).join('.')) === false,
  )
}
