import { z, type ZodType } from 'zod'
import { describeIssue } from '../errors/describe-issue.ts'
import { checkTogether } from './check-together.ts'
import { type EnvironmentRow, environmentTable } from './environment-table.ts'
import { getOption, type ProcessEnvironment, readVariables } from './read-variables.ts'
import { seen } from './seen.ts'

/** One variable, and what became of it. */
export interface VariableState {
  /** Name of the variable. */
  readonly name: string
  /** What it means. */
  readonly meaning: string
  /** The value as it is written, or its default; undefined without either, and when it is secret. */
  readonly value: string | undefined
  /** What holds without it; undefined is none. */
  readonly default: string | undefined
  /** Where the value comes from: an option in code wins over the environment. */
  readonly source: 'option' | 'environment' | 'default' | 'unset'
  /** The option that says the same; undefined for a variable of the service's own. */
  readonly option: string | undefined
  /** Whether its value is not to be shown. */
  readonly isSecret: boolean
  /** A value for `.env.example`; empty where there is none to give. */
  readonly example: string
  /** Why the value cannot be used, without the value. */
  readonly problem: string | undefined
}

/**
 * Says of every variable what it is set to and by what: those of the framework, and those the
 * service has read with `readEnv` so far. A variable of one's own tells its meaning by
 * `.describe('…')`, and that it is secret by `.meta({ secret: true })` or by its name.
 * @param env - the environment
 * @returns one entry a variable, those of the framework first
 */
export function describeEnvironment(
  env: ProcessEnvironment = process.env,
): readonly VariableState[] {
  const problems = findProblems(env)
  const environment = toEnvironment(env)
  const framework = environmentTable.map((row) => toState(row, { env, environment, problems }))
  const own = Array.from(seen.own, ([name, schema]) => toOwnState(name, schema, env))
  return [...framework, ...own]
}

interface Facts {
  readonly env: ProcessEnvironment
  readonly environment: keyof EnvironmentRow['defaults']
  readonly problems: ReadonlyMap<string, string>
}

function toState(row: EnvironmentRow, { env, environment, problems }: Facts): VariableState {
  const { example, isSecret, meaning, name, option } = row
  const chosen = getOption(seen.config ?? {}, option)
  const given = chosen === undefined ? env[name] : toText(chosen)
  const fallback = row.defaults[environment]
  const value = given ?? fallback
  return {
    name,
    meaning,
    value: isSecret && given !== undefined ? undefined : value,
    default: fallback,
    source: toSource(chosen, env[name], fallback),
    option,
    isSecret,
    example,
    problem: problems.get(name) ?? problems.get(option),
  }
}

function toOwnState(name: string, schema: ZodType, env: ProcessEnvironment): VariableState {
  const given = env[name] === '' ? undefined : env[name]
  const isSecret = schema.meta()?.['secret'] === true || secretName.test(name)
  const fallback = schema instanceof z.ZodDefault ? toText(schema.def.defaultValue) : undefined
  const shown = isSecret ? undefined : fallback
  return {
    name,
    meaning: schema.description ?? '',
    value: isSecret ? undefined : (given ?? fallback),
    default: shown,
    source: toSource(undefined, given, fallback),
    option: undefined,
    isSecret,
    example: shown ?? '',
    problem: findProblem(schema, given),
  }
}

function findProblem(schema: ZodType, value: string | undefined): string | undefined {
  return schema.safeParse(value, { error: describeIssue }).error?.issues[0]?.message
}

const secretName = /SECRET|PASSWORD|TOKEN|_KEY$/

function toSource(
  option: unknown,
  given: string | undefined,
  fallback: string | undefined,
): VariableState['source'] {
  if (option !== undefined) return 'option'
  if (given !== undefined) return 'environment'
  return fallback === undefined ? 'unset' : 'default'
}

function findProblems(env: ProcessEnvironment): ReadonlyMap<string, string> {
  const { config } = seen
  const reading = readVariables(config ?? {}, env)
  const together = config === undefined ? [] : checkTogether(config, reading.values).problems
  return new Map([...together, ...reading.problems].map(({ name, problem }) => [name, problem]))
}

function toEnvironment(env: ProcessEnvironment): keyof EnvironmentRow['defaults'] {
  return readVariables(seen.config ?? {}, env).values.NODE_ENV ?? 'development'
}

// An option can be more than a text: a list, a store, a function.
function toText(value: unknown): string {
  if (typeof value === 'string') return value
  if (typeof value === 'function') return 'a function'
  return value === false ? 'off' : (JSON.stringify(value) ?? '')
}
