import { channel } from 'node:diagnostics_channel'
import { z, type ZodType } from 'zod'
import { describeIssue } from '../errors/describe-issue.ts'
import {
  defaultOf,
  type Environment,
  listOptions,
  type ListedOption,
  type ProcessEnvironment,
  readPath,
  readVariable,
} from '../options/options.ts'
import { type ApiOptions, apiOptions } from './api-options.ts'
import { checkTogether } from './cross-checks.ts'
import { descriptions } from './descriptions.ts'
import { readConfig, readEnvironment } from './read-config.ts'

/** An environment variable and all that is known about it. */
export interface EnvironmentRow {
  /** Name of the variable. */
  readonly name: string
  /** The option with the same meaning in code. */
  readonly option: string
  /** Its description. */
  readonly meaning: string
  /** Default for each environment, as it would be written; undefined is none. */
  readonly defaults: Readonly<Record<Environment, string | undefined>>
  /** Whether it must not be shown. */
  readonly isSecret: boolean
  /** A value for `.env.example`; empty where there is none. */
  readonly example: string
}

/** Every variable that `createApi` reads. */
export const environmentTable: readonly EnvironmentRow[] = listOptions(apiOptions).flatMap(toRow)

function toRow({ path, schema, facts }: ListedOption): EnvironmentRow[] {
  const { env: name, secret = false, example } = facts
  if (name === undefined) return []
  const defaults = {
    production: formatValue(defaultOf(schema, 'production')),
    development: formatValue(defaultOf(schema, 'development')),
    test: formatValue(defaultOf(schema, 'test')),
  }
  const meaning = descriptions[name] ?? ''
  const shown = example ?? defaults.development ?? ''
  return [{ name, option: path, meaning, defaults, isSecret: secret, example: shown }]
}

/** One variable and its value. */
export interface VariableState {
  /** Name of the variable. */
  readonly name: string
  /** Its description. */
  readonly meaning: string
  /** The value as it is written, or its default; undefined without either, and when it is secret. */
  readonly value: string | undefined
  /** The value used without it; undefined is none. */
  readonly default: string | undefined
  /** Where the value comes from: an option in code wins over the environment. */
  readonly source: 'option' | 'environment' | 'default' | 'unset'
  /** The option with the same meaning; undefined for a variable of the service itself. */
  readonly option: string | undefined
  /** Whether its value must not be shown. */
  readonly isSecret: boolean
  /** A value for `.env.example`; empty where there is none. */
  readonly example: string
  /** Why the value cannot be used, without the value. */
  readonly problem: string | undefined
}

// createApi and readEnv publish what they read, before they reject it; without a subscriber nothing
// is computed or kept.
const variablesRead = channel('create-api:variables')

export function publishVariables(config: Partial<ApiOptions>, env: ProcessEnvironment): void {
  if (variablesRead.hasSubscribers) variablesRead.publish(describeEnvironment(env, config))
}

export function publishOwnVariables(
  shape: Readonly<Record<string, unknown>>,
  env: ProcessEnvironment,
): void {
  if (!variablesRead.hasSubscribers) return
  const schemas = Object.entries(shape).filter(isSchema)
  variablesRead.publish(schemas.map(([name, schema]) => toOwnState(name, schema, env)))
}

function isSchema(entry: [string, unknown]): entry is [string, ZodType] {
  return entry[1] instanceof z.ZodType
}

/**
 * Records what each variable is set to and by what: those of the framework, and those that the
 * service reads with `readEnv`. Call it before the service is imported. A variable of the service
 * has its meaning from `.describe('…')`; it is secret by `.meta({ secret: true })` or by its name.
 * @param env - the environment of the process
 * @returns a function that returns one entry for each variable, those of the framework first
 */
export function recordEnvironment(
  env: ProcessEnvironment = process.env,
): () => readonly VariableState[] {
  const states = new Map(describeEnvironment(env).map((state) => [state.name, state]))
  variablesRead.subscribe((message) => {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- published above, nowhere else
    for (const state of message as readonly VariableState[]) states.set(state.name, state)
  })
  return () => Array.from(states.values())
}

/**
 * Describes the variables of the framework: what each is set to and by what.
 * @param env - the environment
 * @param config - the options of `createApi`; without them only the variables are checked
 * @returns one entry for each variable
 */
export function describeEnvironment(
  env: ProcessEnvironment = process.env,
  config?: Partial<ApiOptions>,
): readonly VariableState[] {
  const options = config ?? {}
  const reading = readConfig(options, env)
  const together = config ? checkTogether(config, reading.values).problems : []
  const problems = new Map(
    [...together, ...reading.problems].map(({ name, problem }) => [name, problem]),
  )
  const environment = readEnvironment(options, env)
  return environmentTable.map((row) => {
    const { defaults, example, isSecret, meaning, name, option } = row
    const chosen = readPath(options, option)
    const variable = readVariable(env, name)
    const given = formatValue(chosen) ?? variable
    return {
      name,
      meaning,
      value: isSecret && given !== undefined ? undefined : (given ?? defaults[environment]),
      default: defaults[environment],
      source: toSource(chosen, variable, defaults[environment]),
      option,
      isSecret,
      example,
      problem: problems.get(name) ?? problems.get(option),
    }
  })
}

function toOwnState(name: string, schema: ZodType, env: ProcessEnvironment): VariableState {
  const given = readVariable(env, name)
  const isSecret = schema.meta()?.['secret'] === true || secretName.test(name)
  const fallback = schema instanceof z.ZodDefault ? formatValue(schema.def.defaultValue) : undefined
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
    problem: schema.safeParse(given, { error: describeIssue }).error?.issues[0]?.message,
  }
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

// As it would be written in the environment, where that is possible.
function formatValue(value: unknown): string | undefined {
  if (value === undefined || typeof value === 'string') return value
  if (typeof value === 'function') return 'a function'
  if (typeof value === 'boolean') return value ? 'on' : 'off'
  return JSON.stringify(value) ?? ''
}
