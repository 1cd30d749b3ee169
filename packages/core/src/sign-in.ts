// For @create-api/sign-in and @create-api/webhooks; can change in any release.
export { chooseRoutes, parseRouteChoice, type RouteChoice } from './lib/route/route-choice.ts'
export { isDuplicateKey } from './lib/errors/from-database-error.ts'
export { majority } from './lib/database/write-concern.ts'
export { parseDuration } from './lib/options/parse-duration.ts'
export { type Duration } from './lib/options/options.ts'
export { createSecretBox, type SecretBox } from './lib/runtime/secret-box.ts'
export { parseInput } from './lib/schemas/parse-input.ts'
export { type MailKind } from './lib/auth/mail/mailer.ts'
export { toEmailHash } from './lib/auth/events/security-events.ts'
export { toFacts } from './lib/auth/events/request-facts.ts'
export { type Ending, type Holder, setEnd } from './lib/auth/storage/holdings.ts'
export { type ModelPlace, requireModel } from './lib/auth/storage/model-registry.ts'
export {
  type SignInContext,
  type SignInFeature,
  type SignInParts,
} from './lib/auth/sign-in/sign-in.ts'
