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
  last_login_method: { status: 409, title: 'The account has no other way to log in.' },
})
