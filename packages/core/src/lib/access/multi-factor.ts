import { type Request } from 'express'
import { defineRule, type Rule } from './access.ts'
import { StaleProof } from './stale-proof.ts'

/**
 * The rule that admits users who have proved more than one factor in their session: a password and a code, or a passkey
 * that verified the user. Others get a 401 `reauthentication_required`. API keys are refused.
 * @example
 * ```ts
 * get('/secrets', { access: all(multiFactor, fresh('10m')) }, list)
 * ```
 */
export const multiFactor: Rule<false> = {
  ...defineRule('multiFactor', () => true),
  form: { kind: 'multiFactor' },
  decide(_user, { apiKey, multiFactor: isProved }: Request) {
    // An API key cannot authenticate again.
    if (apiKey) return false
    return isProved === true || new StaleProof(Infinity)
  },
}
