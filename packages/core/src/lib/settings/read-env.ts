import { type output, z, type ZodObject, type ZodRawShape } from 'zod'
import { describeIssue } from '../errors/describe-issue.ts'
import { type ProcessEnvironment } from '../options/options.ts'
import { ConfigError } from './config-error.ts'
import { publishOwnVariables } from './describe-environment.ts'

/**
 * Reads your own environment variables: `const env = readEnv({ SMTP_URL: z.url() })`. An empty
 * variable counts as absent.
 * @param shape - a Zod schema for each variable; its input is text
 * @param env - the environment
 * @returns the values, typed by the schemas
 * @throws ConfigError with every problem at once, never with a value
 * @example
 * ```ts
 * const env = readEnv({ SEARCH_URL: z.url(), RETRIES: z.coerce.number().int().default(3) })
 * ```
 */
export function readEnv<Shape extends ZodRawShape>(
  shape: Shape,
  env: ProcessEnvironment = process.env,
): output<ZodObject<Shape>> {
  publishOwnVariables(shape, env)
  const set = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== ''))
  const result = z.object(shape).safeParse(set, { error: describeIssue })
  if (result.success) return result.data
  throw new ConfigError(
    result.error.issues.map((issue) => ({ name: issue.path.join('.'), problem: issue.message })),
  )
}
