import { z } from 'zod'

/** The input of an enrolment. */
export interface EnrolInput {
  /**
   * Name that the user gives to the factor, 1 to 100 characters.
   * @default 'Authenticator'
   */
  readonly name?: string | undefined
}

/** A code of a second factor. */
export interface CodeInput {
  /** Six digits of the authenticator application, or a recovery code. */
  readonly code: string
}

/** The input of a confirmation. */
export interface ConfirmInput extends CodeInput {
  /** Id of the factor. */
  readonly id: string
}

/** The second step of a login. */
export interface StepInput extends CodeInput {
  /** The token of the error `second_factor_required` or `second_factor_setup_required`. */
  readonly token: string
  /**
   * Whether the device needs no code for a time, with the option `trustedDevices`.
   * @default false
   */
  readonly trustDevice?: boolean | undefined
}

/** The second step of a login on a trusted device. */
export interface DeviceStepInput {
  /** The token of the error `second_factor_required`. */
  readonly token: string
  /** The token of the device, from an earlier login with `trustDevice`. */
  readonly deviceToken: string
}

const code = z
  .string()
  .trim()
  .regex(/^(?:\d{6}|\d{3} \d{3}|[A-Za-z2-9\s-]{24,32})$/, 'must be six digits or a recovery code')
  .transform((text) => (/^[\d ]+$/.test(text) ? text.replace(' ', '') : text))
const id = z.string().regex(/^[0-9a-f]{24}$/, 'must be the id of a factor')
const token = z.string().regex(/^[\w-]{43}$/, 'must be the token of a login')

export const enrolInput = z.strictObject({ name: z.string().trim().min(1).max(100).optional() })
export const codeInput = z.strictObject({ code })
export const confirmInput = z.strictObject({ id, code })
export const setupInput = z.strictObject({ token })
export const stepInput = z.strictObject({ token, code })
const deviceToken = z.string().regex(/^[\w-]{43}$/, 'must be the token of a device')
export const stepInputWithDevices = z.union([
  stepInput.extend({ trustDevice: z.boolean().optional() }),
  z.strictObject({ token, deviceToken }),
])
export const factorParams = z.object({ id })

const factor = z
  .object({
    id: z.string(),
    kind: z.literal('totp'),
    name: z.string(),
    createdAt: z.iso.datetime(),
    lastUsedAt: z.iso.datetime().nullable(),
  })
  .meta({ id: 'Factor' })

const codes = z.array(z.string())

export const factorList = z.object({
  factors: z.array(factor),
  recoveryCodes: z.int(),
  trustedDevices: z.int(),
})
export const enrolment = z.object({ id: z.string(), secret: z.string(), uri: z.string() })
export const recoveryCodeList = z.object({ recoveryCodes: codes })
export const confirmation = z.object({ recoveryCodes: codes.optional() })
export const grantedCodes = { recoveryCodes: codes.optional(), deviceToken: z.string().optional() }
