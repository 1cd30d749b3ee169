import { accessLog } from '../pipeline/access-log.ts'
import { bodyParser } from '../pipeline/body-parser.ts'
import { cors } from '../pipeline/cors.ts'
import { rateLimit } from '../pipeline/rate-limit.ts'
import { securityHeaders } from '../pipeline/security-headers.ts'
import { type ApiConfig } from './api-config.ts'
import { checkTogether } from './check-together.ts'
import { ConfigError, type ConfigProblem } from './config-error.ts'
import { requireKnownOptions } from './known-options.ts'
import {
  type ProcessEnvironment,
  type Reading,
  readVariables,
  type Values,
} from './read-variables.ts'
import { seen } from './seen.ts'
import { type Settings } from './settings.ts'
import { toSettings } from './to-settings.ts'

/**
 * Brings options, environment and defaults together, once.
 * @param config - the options of `createApi`
 * @param env - the environment
 * @returns the settings
 * @throws TypeError for options that do not exist
 * @throws ConfigError with every other problem at once, never with a value
 */
export function resolveConfig(config: ApiConfig, env: ProcessEnvironment = process.env): Settings {
  requireKnownOptions(config)
  seen.config = config
  const reading = readVariables(config, env)
  const together = checkTogether(config, reading.values)
  const problems = [...reading.problems, ...together.problems]
  if (!isComplete(reading) || problems.length > 0) throw new ConfigError(problems)
  const settings = toSettings(config, reading.values, together.warnings)
  const refused = findRefused(settings)
  if (refused.length > 0) throw new ConfigError(refused)
  return settings
}

function isComplete(reading: Reading): reading is Reading & { readonly values: Values } {
  return reading.problems.length === 0
}

// The factories know best what they take; here their refusals come together.
function findRefused(settings: Settings): ConfigProblem[] {
  const attempts: [string, () => unknown][] = [
    ['accessLog', () => accessLog(settings.accessLog)],
    ['securityHeaders', () => securityHeaders(settings.securityHeaders)],
    ['cors', () => cors(settings.cors)],
    // A store is bound to the first limit that takes it.
    [
      'rateLimit',
      () => settings.rateLimit && rateLimit({ ...settings.rateLimit, store: undefined }),
    ],
    ['body', () => bodyParser(settings.body)],
  ]
  return attempts.flatMap(([name, attempt]) => {
    try {
      attempt()
      return []
    } catch (error) {
      return [{ name, problem: error instanceof Error ? error.message : String(error) }]
    }
  })
}
