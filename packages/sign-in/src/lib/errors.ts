import { defineErrors } from '@create-api/core'

/** The error codes of `@create-api/sign-in`. */
export const signInErrors = defineErrors({
  second_factor_required: { status: 401, title: 'A second factor is required.' },
  second_factor_setup_required: { status: 401, title: 'A second factor must be set up.' },
  invalid_code: { status: 401, title: 'The code is not valid.' },
  too_many_factors: { status: 409, title: 'The account has the maximum number of factors.' },
  invalid_passkey: { status: 401, title: 'The passkey is not valid.' },
  passkey_exists: { status: 409, title: 'The passkey is already registered.' },
  too_many_passkeys: { status: 409, title: 'The account has the maximum number of passkeys.' },
  identity_not_linked: {
    status: 409,
    title: 'The account of the provider is not linked to the user with its address.',
  },
  identity_taken: { status: 409, title: 'The account of the provider cannot be linked.' },
  email_not_verified: { status: 403, title: 'The provider has not verified the address.' },
  registration_closed: { status: 403, title: 'There is no registration.' },
  invalid_identity: { status: 401, title: 'What the provider sent is not valid.' },
  provider_unavailable: { status: 503, title: 'The identity provider cannot be used.' },
  last_login_method: { status: 409, title: 'The account has no other way to log in.' },
})
