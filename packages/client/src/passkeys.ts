// The groups are the topics of the API reference: a comment names the topic and its guides.

// Passkeys: docs/sign-in.md#passkeys
export {
  type BegunPasskey,
  canAutofillPasskeys,
  loginWithPasskey,
  type PasskeyCallOptions,
  type PasskeyLogin,
  type PasskeyLoginOptions,
  type PasskeyReauthentication,
  type PasskeyRegistration,
  type PasskeyResponse,
  reauthenticateWithPasskey,
  registerPasskey,
} from './lib/passkeys.ts'
