// The groups are the topics of the API reference: a comment names the topic and its guides.

// Sign-in: docs/sign-in.md
export { createSignIn } from './lib/create-sign-in.ts'
export { type LinkOptions, type SignInOptions } from './lib/options.ts'
export { type SignInRouteName } from './lib/route-names.ts'
export { signInErrors } from './lib/errors.ts'
export {
  type FactorList,
  type Factors,
  type FactorView,
  type SecondFactorGrant,
  type TotpEnrolment,
} from './lib/factors/factors.ts'
export {
  type CodeInput,
  type ConfirmInput,
  type DeviceStepInput,
  type EnrolInput,
  type StepInput,
} from './lib/factors/factor-schemas.ts'
export { type Links } from './lib/links/links.ts'
export {
  type LinkLoginInput,
  type LoginLinkInput,
  type LoginLinkRequest,
} from './lib/links/link-schemas.ts'
