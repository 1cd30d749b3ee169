import { type core, z } from 'zod'
import { expandExponent } from './plain.ts'

/** Options for {@link decimal}. */
export interface DecimalOptions {
  /**
   * The least value.
   * @default undefined
   */
  min?: number | undefined
  /**
   * The greatest value.
   * @default undefined
   */
  max?: number | undefined
  /**
   * Most digits behind the point, up to 14.
   * @default 10
   */
  scale?: number | undefined
}

/** A field made by {@link decimal}. */
export type DecimalField = z.ZodPipe<z.ZodType<string, string | number>, z.ZodString>

/** A decimal as the API writes it: a text without exponent, exact. */
export const decimalText: z.ZodString = z
  .string()
  .regex(/^-?\d+(\.\d+)?$/, 'must be a decimal')
  .meta({ examples: ['12.50'] })

// Twenty digits before the point and 14 behind it: the 34 that a Decimal128 holds exactly.
const wholeDigits = 20
const mostScale = 14

interface Rule {
  readonly error: string
  readonly when: (payload: core.ParsePayload) => boolean
}

/**
 * An exact decimal, such as an amount of money: the client sends text or a JSON number and reads
 * text, the model keeps a `Schema.Types.Decimal128`. Filters compare and sort it by value.
 * @param options - bounds and digits
 * @returns the schema of the field
 * @throws TypeError when `scale` is not a whole number from 0 to 14
 */
export function decimal(options: DecimalOptions = {}): DecimalField {
  const { min, max, scale = 10 } = options
  if (!Number.isInteger(scale) || scale < 0 || scale > mostScale) {
    throw new TypeError(`The scale of a decimal is a whole number from 0 to ${mostScale}.`)
  }
  const fraction = scale === 0 ? '' : String.raw`(?:\.\d{1,${scale}})?`
  const text = z
    .string()
    .regex(
      new RegExp(String.raw`^-?\d{1,${wholeDigits}}${fraction}$`),
      `must be a decimal with at most ${scale} digits behind the point`,
    )
    .meta({ examples: ['12.50'] })
  const number = z.number().transform((value) => expandExponent(String(value)))
  return z
    .union([text, number.pipe(text)], 'must be a decimal')
    .refine((value) => min === undefined || Number(value) >= min, toRule(`must be at least ${min}`))
    .refine((value) => max === undefined || Number(value) <= max, toRule(`must be at most ${max}`))
    .pipe(decimalText)
}

// A text that is no decimal is not too small besides.
function toRule(error: string): Rule {
  return { error, when: ({ issues }) => issues.length === 0 }
}

/**
 * Tells fields made by {@link decimal}.
 * @param field - any schema
 * @returns true for decimals
 */
export function isDecimalField(field: unknown): field is DecimalField {
  return field instanceof z.ZodPipe && field.out === decimalText
}
