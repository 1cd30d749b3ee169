import { z, type ZodType } from 'zod'
import { parseDuration } from './parse-duration.ts'
import { parseSize } from './parse-size.ts'

/**
 * A duration in milliseconds: `15m`, or a number of seconds.
 * @param range - least and most, as durations
 * @returns the schema
 */
export function duration(range: readonly [least: string, most: string]): ZodType<number> {
  const [least, most] = [parseDuration(range[0]), parseDuration(range[1])]
  return parsedBy((value) => {
    const ms = parseDuration(value, '')
    if (ms >= least && ms <= most) return ms
    throw new TypeError()
  }, `must be a duration from ${range[0]} to ${range[1]}, such as 900, 15m or 1h`)
}

/**
 * A size in bytes: `100kb`.
 * @returns the schema
 */
export function size(): ZodType<number> {
  return parsedBy((value) => parseSize(value), 'must be a size such as 100kb, 1mb or 102400')
}

/**
 * A whole number.
 * @param range - least and most
 * @returns the schema
 */
export function integer(range: readonly [least: number, most: number]): ZodType<number> {
  const [least, most] = range
  return parsedBy((value) => {
    const number = /^-?\d{1,15}$/.test(String(value)) ? Number(value) : Number.NaN
    if (number >= least && number <= most) return number
    throw new TypeError()
  }, `must be a whole number from ${least} to ${most}`)
}

/**
 * A limit that can be switched off: a whole number, or `off`.
 * @param most - the most it can be
 * @returns the schema; false is off
 */
export function limit(most: number): ZodType<number | false> {
  return orOff(integer([1, most]))
}

/**
 * Anything that can be switched off.
 * @param schema - of what else it can be
 * @returns the schema; false is off
 */
export function orOff<T>(schema: ZodType<T>): ZodType<T | false> {
  return z.unknown().transform((value, context) => {
    if (value === false || value === 'off') return false
    const result = schema.safeParse(value)
    if (result.success) return result.data
    const problem = result.error.issues[0]?.message ?? 'is not valid'
    context.addIssue({ code: 'custom', message: `${problem}, or off` })
    return z.NEVER
  })
}

/**
 * One of a few words.
 * @param words - the words
 * @returns the schema
 */
export function oneOf<const Words extends readonly [string, ...string[]]>(
  words: Words,
): ZodType<Words[number]> {
  return z.enum(words, { error: `must be one of ${words.join(', ')}` })
}

/**
 * Text that is not empty.
 * @returns the schema
 */
export function text(): ZodType<string> {
  return z.string('must be text').trim().min(1, 'must not be empty')
}

/**
 * Anything that a function can read.
 * @param parse - throws for what it does not take; its message is the problem unless one is given
 * @param problem - what to say instead
 * @returns the schema
 */
export function parsedBy<T>(parse: (value: unknown) => T, problem?: string): ZodType<T> {
  return z.unknown().transform((value, context) => {
    try {
      return parse(value)
    } catch (error) {
      const message = problem ?? (error instanceof Error ? error.message : 'is not valid')
      context.addIssue({ code: 'custom', message })
      return z.NEVER
    }
  })
}
