import { type Request } from 'express'
import { type Duration } from '../options/options.ts'
import { parseDuration } from '../options/parse-duration.ts'
import { defineRule, type Rule } from './access.ts'
import { StaleProof } from './stale-proof.ts'

/**
 * Creates the rule that admits users who have authenticated recently in their session: by register, login or
 * `reauthenticate`. Others get a 401 `reauthentication_required`, whose challenge has the parameter `max_age` (RFC 9470
 * section 3). API keys are refused.
 * @param maxAge - the time that may have passed: seconds, or text such as `10m`
 * @returns the rule
 * @throws TypeError when the time is not a duration of 1s or more
 * @example
 * ```ts
 * get('/secrets', { access: fresh('10m') }, list)
 * ```
 */
export function fresh(maxAge: Duration): Rule<false> {
  const limit = parseDuration(maxAge, 'fresh()')
  if (limit < 1000) throw new TypeError('fresh() must be a duration of 1s or more.')
  return {
    ...defineRule(`fresh ${maxAge}`, () => true),
    form: { kind: 'fresh', maxAge: limit },
    decide(_user, { apiKey, authenticatedAt }: Request) {
      // An API key cannot authenticate again.
      if (apiKey) return false
      const age = Date.now() - (authenticatedAt?.getTime() ?? -Infinity)
      return age <= limit || new StaleProof(limit)
    },
  }
}
