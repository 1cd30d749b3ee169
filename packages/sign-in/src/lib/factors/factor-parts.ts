import { type SignInContext, type SecretBox } from '@create-api/core/internal/sign-in'
import { trusted } from 'mongoose'
import { type SignInSettings } from '../options.ts'
import { type FactorModels } from './factor-models.ts'
import { type LoginSteps } from './login-steps.ts'
import { type RecoveryCodes } from './recovery-codes.ts'
import { type TrustedDevices } from './trusted-devices.ts'

// What the functions of factors work with.
export interface FactorParts {
  readonly context: SignInContext
  readonly settings: SignInSettings
  readonly models: FactorModels
  readonly box: SecretBox
  readonly recoveryCodes: RecoveryCodes
  readonly steps: LoginSteps
  readonly trustedDevices: TrustedDevices
}

export const confirmed = { confirmedAt: trusted({ $ne: null }) }

export async function hasFactor({ models }: FactorParts, userId: string): Promise<boolean> {
  return (await models.factors.exists({ userId, ...confirmed })) !== null
}
