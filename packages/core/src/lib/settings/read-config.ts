import {
  type Environment,
  type ProcessEnvironment,
  type Reading,
  readOptions,
  readVariable,
} from '../options/options.ts'
import { apiOptions, type ApiValues } from './api-options.ts'

export function readConfig(config: object, env: ProcessEnvironment): Reading<ApiValues> {
  return readOptions(apiOptions, config, { env, environment: readEnvironment(config, env) })
}

// The defaults of other options depend on it. A wrong one is reported with the other problems.
export function readEnvironment(config: object, env: ProcessEnvironment): Environment {
  const value: unknown = Reflect.get(config, 'environment') ?? readVariable(env, 'NODE_ENV')
  const result = apiOptions.environment.safeParse(value)
  return result.success ? result.data : 'development'
}
