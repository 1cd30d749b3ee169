import { parseAppUrl, parseMailFrom, parseSmtpUrl } from './parse-mail.ts'
import { parseSecrets } from './parse-secrets.ts'
import { parseSigningKeys } from './parse-signing-keys.ts'
import { duration, limit, parsedBy, text } from './variable-types.ts'

/** The variables of authentication and of its mails. */
export const authVariables = {
  JWT_SECRET: {
    option: 'auth.secrets',
    meaning:
      'Secrets of 32 random bytes or more in base64 or hex, separated by commas: the first signs, all are accepted. Required in production; elsewhere a random one is used while the process runs.',
    // How good they are depends on where the service runs: check-together.ts.
    schema: parsedBy((value) => parseSecrets(value, true)),
    secret: true,
    example: '',
  },
  JWT_SIGNING_KEYS: {
    option: 'auth.signingKeys',
    meaning:
      'Keys of ES256 or RS256 for access tokens that other services verify, as PKCS #8 in base64, separated by commas: the first signs, all are accepted. `api keys generate --alg ES256` makes one; without any, HS256 is used.',
    schema: parsedBy(parseSigningKeys),
    secret: true,
    example: '',
  },
  JWT_ISSUER: {
    option: 'auth.issuer',
    meaning: '`iss` of access tokens; the name of the service by default.',
    schema: text(),
  },
  JWT_AUDIENCE: {
    option: 'auth.audience',
    meaning: '`aud` of access tokens; the name of the service by default.',
    schema: text(),
  },
  ACCESS_TTL: {
    option: 'auth.accessLifetime',
    meaning: 'Lifetime of access tokens.',
    schema: duration(['1m', '1h']),
    fallback: '15m',
  },
  REFRESH_TTL: {
    option: 'auth.refreshIdleLifetime',
    meaning: 'Time after which a session ends unless it is refreshed.',
    schema: duration(['1s', '400d']),
    fallback: '7d',
  },
  REFRESH_MAX_TTL: {
    option: 'auth.refreshAbsoluteLifetime',
    meaning: 'Time after which a session ends in any case.',
    schema: duration(['1s', '400d']),
    fallback: '30d',
  },
  REFRESH_LEEWAY: {
    option: 'auth.refreshLeeway',
    meaning:
      'Time for which the refresh token before the current one is answered with the current one. Above 0 a thief has that long.',
    schema: duration(['0s', '60s']),
    fallback: '0s',
  },
  SMTP_URL: {
    option: 'auth.mail.smtpUrl',
    meaning:
      'Server that mails are handed to. Without it they are kept under `.data/mail` in development, with their links printed, and are not sent anywhere else.',
    schema: parsedBy(parseSmtpUrl),
    secret: true,
    example: 'smtps://user:password@smtp.example.com:465',
  },
  MAIL_FROM: {
    option: 'auth.mail.from',
    meaning: 'Sender of mails; needed with SMTP_URL.',
    schema: parsedBy(parseMailFrom),
    example: 'My Service <no-reply@example.com>',
  },
  APP_URL: {
    option: 'auth.mail.appUrl',
    meaning:
      'Address of the front end that the links in mails lead to. Required in production when mails are sent.',
    schema: parsedBy(parseAppUrl),
    fallback: {
      production: undefined,
      development: 'http://localhost:3000',
      test: 'http://localhost:3000',
    },
    example: 'https://app.example.com',
  },
  AUTH_RATE_LIMIT: {
    option: 'auth.limits.perAddress.login.limit',
    meaning:
      'Failed logins in each window, for an address and for an account (`perAccount`); `off` switches every limit of authentication off.',
    schema: limit(1_000_000),
    fallback: '10',
  },
  AUTH_RATE_LIMIT_WINDOW: {
    option: 'auth.limits.perAddress.login.window',
    meaning: 'Window of AUTH_RATE_LIMIT.',
    schema: duration(['1s', '1d']),
    fallback: '15m',
  },
} as const
