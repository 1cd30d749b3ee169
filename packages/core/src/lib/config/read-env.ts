import { type output, z, type ZodObject, type ZodRawShape, ZodType } from 'zod'
import { describeIssue } from '../errors/describe-issue.ts'
import { ConfigError } from './config-error.ts'
import { type ProcessEnvironment } from './read-variables.ts'
import { seen } from './seen.ts'

/**
 * Reads variables of your own: `const env = readEnv({ SMTP_URL: z.url() })`. An empty variable
 * counts as absent.
 * @param shape - a Zod schema for each variable; what it gets is text
 * @param env - the environment
 * @returns the values, typed by the schemas
 * @throws ConfigError with every problem at once, never with a value
 */
export function readEnv<Shape extends ZodRawShape>(
  shape: Shape,
  env: ProcessEnvironment = process.env,
): output<ZodObject<Shape>> {
  for (const [name, schema] of Object.entries(shape)) {
    if (schema instanceof ZodType) seen.own.set(name, schema)
  }
  const given = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== ''))
  const result = z.object(shape).safeParse(given, { error: describeIssue })
  if (result.success) return result.data
  throw new ConfigError(
    result.error.issues.map((issue) => ({ name: issue.path.join('.'), problem: issue.message })),
  )
}
