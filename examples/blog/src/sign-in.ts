import { readEnv } from '@create-api/core'
import { createSignIn } from '@create-api/sign-in'
import { passkeys } from '@create-api/sign-in/passkeys'
import { openId, providers } from '@create-api/sign-in/providers'
import { z } from 'zod'

const isProduction = process.env['NODE_ENV'] === 'production'

// The address of the front end.
const appUrl = z.url()
// The origin of this API, as browsers reach it.
const apiUrl = z.url()
// What the provider has issued. Development and tests start without it.
const issued = isProduction ? z.string() : z.string().default('not-set')

const env = readEnv({
  APP_URL: isProduction ? appUrl : appUrl.default('http://localhost:3000'),
  API_URL: isProduction ? apiUrl : apiUrl.optional(),
  OPENID_ISSUER: isProduction ? z.url() : z.url().default('http://localhost:9000'),
  OPENID_CLIENT_ID: issued,
  OPENID_CLIENT_SECRET: issued,
})

/** The ways to log in besides the password. */
export const signIn = createSignIn({
  passkeys: passkeys({ id: new URL(env.APP_URL).hostname, origins: [new URL(env.APP_URL).origin] }),
  providers: providers(
    {
      openid: openId({
        issuer: env.OPENID_ISSUER,
        clientId: env.OPENID_CLIENT_ID,
        clientSecret: env.OPENID_CLIENT_SECRET,
      }),
    },
    {
      apiUrl: env.API_URL && new URL(env.API_URL).origin,
      returnUrls: [new URL('/account.html', env.APP_URL).href],
    },
  ),
})
