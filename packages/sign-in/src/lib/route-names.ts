export const factorRouteNames = [
  'completeLogin',
  'enrolAtLogin',
  'listFactors',
  'enrolTotp',
  'confirmTotp',
  'removeFactor',
  'createRecoveryCodes',
  'reauthenticateByCode',
  'forgetDevices',
] as const
export const linkRouteNames = ['requestLoginLink', 'completeLoginLink'] as const
export const passkeyRouteNames = [
  'beginPasskeyLogin',
  'completePasskeyLogin',
  'listPasskeys',
  'beginPasskeyRegistration',
  'completePasskeyRegistration',
  'renamePasskey',
  'removePasskey',
  'beginPasskeyReauthentication',
  'reauthenticateByPasskey',
] as const
export const identityRouteNames = [
  'beginIdentityLogin',
  'receiveIdentity',
  'receiveIdentityForm',
  'completeIdentityLogin',
  'createIdentityNonce',
  'logInWithIdToken',
  'listIdentities',
  'unlinkIdentity',
  'createIdentityLink',
  'completeIdentityLink',
] as const

/** Name of a built-in route, also its operation id in the OpenAPI document. */
export type SignInRouteName =
  | (typeof factorRouteNames)[number]
  | (typeof linkRouteNames)[number]
  | (typeof passkeyRouteNames)[number]
  | (typeof identityRouteNames)[number]
