import { type core, z } from 'zod'
import { expandExponent } from '../json/plain.ts'
import { decimalText } from '../schemas/decimal-text.ts'

/** Options for {@link decimal}. */
export interface DecimalOptions {
  /**
   * The minimum value.
   * @default undefined
   */
  min?: number | undefined
  /**
   * The maximum value.
   * @default undefined
   */
  max?: number | undefined
  /**
   * Maximum number of digits after the decimal point, 0 to 14.
   * @default 10
   */
  scale?: number | undefined
}

/** The schema of a field created by {@link decimal}. */
export type DecimalField = z.ZodPipe<z.ZodType<string, string | number>, z.ZodString>

// 20 digits before the decimal point and 14 after it: the 34 that a Decimal128 holds exactly.
const wholeDigits = 20
const maxScale = 14

interface Rule {
  readonly error: string
  readonly when: (payload: core.ParsePayload) => boolean
}

/**
 * Creates the schema of an exact decimal, such as an amount of money. The client sends a string, or a
 * JSON number of at most 15 digits, and reads a string; the model stores a `Schema.Types.Decimal128`. Filters and
 * sorting compare it by value.
 * @param options - minimum, maximum and scale
 * @returns the schema of the field
 * @throws TypeError when `scale` is not a whole number from 0 to 14
 * @example
 * ```ts
 * const price = decimal({ min: 0, scale: 2 }) // "12.50"
 * ```
 */
export function decimal(options: DecimalOptions = {}): DecimalField {
  const { min, max, scale = 10 } = options
  if (!Number.isInteger(scale) || scale < 0 || scale > maxScale) {
    throw new TypeError(`The scale of a decimal must be a whole number from 0 to ${maxScale}.`)
  }
  const fraction = scale === 0 ? '' : String.raw`(?:\.\d{1,${scale}})?`
  const sign = min !== undefined && min >= 0 ? '' : '-?'
  const text = z
    .string()
    .regex(
      new RegExp(String.raw`^${sign}\d{1,${wholeDigits}}${fraction}$`),
      `must be a decimal with at most ${scale} digits after the decimal point`,
    )
    .meta(describeText(options, scale))
  const number = z
    .number()
    .refine(isExact)
    .meta(describeNumber(options, scale))
    .transform((value) => expandExponent(String(value)))
  return z
    .union([text, number.pipe(text)], {
      error: ({ input }) =>
        typeof input === 'number' && !isExact(input) ? inexact : 'must be a decimal',
    })
    .refine((value) => min === undefined || Number(value) >= min, toRule(`must be at least ${min}`))
    .refine((value) => max === undefined || Number(value) <= max, toRule(`must be at most ${max}`))
    .pipe(decimalText)
}

// A number of up to 15 digits survives the way through a double; of one with more, the digits that the client has
// sent may be lost already. Those that are lost arrive as NaN.
const exactDigits = 15

const inexact = `must be text if it has more than ${exactDigits} digits`

function isExact(value: number): boolean {
  if (Number.isNaN(value)) return false
  const digits = String(value).replace(/e.*/, '').replace(/\D/g, '')
  return digits.replace(/^0+|0+$/g, '').length <= exactDigits
}

// JSON Schema has no bounds for text.
function describeText(
  { min, max }: DecimalOptions,
  scale: number,
): Readonly<Record<string, unknown>> {
  return {
    examples: [String(min ?? max ?? (scale < 2 ? '12' : '12.50'))],
    ...(min !== undefined && { 'x-minimum': min }),
    ...(max !== undefined && { 'x-maximum': max }),
  }
}

// The same rules for the document: the text of a number has as many digits as its multiples.
function describeNumber(
  { min, max }: DecimalOptions,
  scale: number,
): Readonly<Record<string, number>> {
  const limit = 10 ** wholeDigits
  return {
    ...(min === undefined ? { exclusiveMinimum: -limit } : { minimum: min }),
    ...(max === undefined ? { exclusiveMaximum: limit } : { maximum: max }),
    multipleOf: Number(`1e-${scale}`),
    'x-maximum-digits': exactDigits,
  }
}

// Text that is not a decimal is reported for that alone, not for its bounds too.
function toRule(error: string): Rule {
  return { error, when: ({ issues }) => issues.length === 0 }
}
