import { readEnv } from '@create-api/core'
import { createSignIn } from '@create-api/sign-in'
import { passkeys } from '@create-api/sign-in/passkeys'
import { z } from 'zod'

const isProduction = process.env['NODE_ENV'] === 'production'

// The address of the front end.
const appUrl = z.url()

const env = readEnv({
  APP_URL: isProduction ? appUrl : appUrl.default('http://localhost:3000'),
})

/** The ways to log in besides the password. */
export const signIn = createSignIn({
  passkeys: passkeys({ id: new URL(env.APP_URL).hostname, origins: [new URL(env.APP_URL).origin] }),
})
