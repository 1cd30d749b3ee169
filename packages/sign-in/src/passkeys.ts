// The groups are the topics of the API reference: a comment names the topic and its guides.

// Passkeys: docs/sign-in.md#passkeys
export { passkeys } from './lib/passkeys/passkey-way.ts'
export { type PasskeyOptions } from './lib/passkeys/passkey-options.ts'
export {
  type BegunPasskeyAssertion,
  type BegunPasskeyRegistration,
  type Passkeys,
  type PasskeyView,
} from './lib/passkeys/passkeys.ts'
export {
  type AuthenticationResponseJSON,
  type CreationOptionsJSON,
  type PasskeyAssertionInput,
  type PasskeyNameInput,
  type PasskeyRegistrationInput,
  type RegistrationResponseJSON,
  type RequestOptionsJSON,
} from './lib/passkeys/passkey-schemas.ts'
