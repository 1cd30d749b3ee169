import { type ZodType } from 'zod'
import {
  code,
  duration,
  type Environment,
  integer,
  matching,
  option,
  type Options,
  section,
  text,
  type Values,
} from '../../options/options.ts'
import {
  createOutboxMailer,
  createSmtpMailer,
  type Mailer,
  type MailKind,
  type MailParts,
  type MailText,
} from './mailer.ts'

const mailOptions = {
  /**
   * SMTP server that sends e-mail. Without it, e-mail is written to `.data/mail` in development,
   * with the links printed, and is not sent elsewhere.
   * @default undefined
   */
  smtpUrl: option(url(/^smtps?:\/\/./, 'must be smtp://… or smtps://user:password@host:465'), {
    env: 'SMTP_URL',
    secret: true,
    example: 'smtps://user:password@smtp.example.com:465',
  }),
  /**
   * Sender of e-mail; required with `SMTP_URL`.
   * @default undefined
   */
  from: option(
    matching(
      /^(?:[^\s<>@]+@[^\s<>@]+|[^\r\n<>]*<[^\s<>@]+@[^\s<>@]+>)$/,
      'must be an address such as Blog <no-reply@example.com>',
    ),
    { env: 'MAIL_FROM', example: 'My Service <no-reply@example.com>' },
  ),
  /**
   * Sends e-mail instead of an SMTP server.
   * @default by `smtpUrl` and `from`
   */
  mailer: code<Mailer>(),
  /**
   * Address of the front end that the links in e-mail lead to. Required in production when e-mail
   * is sent.
   * @default 'http://localhost:3000', in production none
   */
  appUrl: option(url(/^https?:\/\/./, 'must be an address such as https://app.example.com'), {
    env: 'APP_URL',
    default: {
      production: undefined,
      development: 'http://localhost:3000',
      test: 'http://localhost:3000',
    },
    example: 'https://app.example.com',
  }),
  /**
   * Path of the page that reads the token of an e-mail (`?token=…`) and posts it to
   * `/reset-password`.
   * @default '/reset-password'
   */
  resetPath: option(text(), { default: '/reset-password' }),
  /**
   * Path of the page that reads the token of an e-mail (`?token=…`) and posts it to
   * `/verify-email`.
   * @default '/verify-email'
   */
  verifyPath: option(text(), { default: '/verify-email' }),
  /**
   * Path of the page that reads the token of an e-mail (`?token=…`) and posts it to
   * `/confirm-email`.
   * @default '/confirm-email'
   */
  confirmPath: option(text(), { default: '/confirm-email' }),
  /**
   * Lifetime of a link that sets a new password.
   * @default '1h'
   */
  resetLifetime: option(duration('1s', '400d'), { default: '1h' }),
  /**
   * Lifetime of a link that verifies an address, also a new one.
   * @default '1d'
   */
  verifyLifetime: option(duration('1s', '400d'), { default: '1d' }),
  /**
   * Maximum number of e-mails of one kind to one address in an hour; more are not sent.
   * @default 3
   */
  perHour: option(integer(0, 1_000_000), { default: 3 }),
  /**
   * Writes the e-mails.
   * @default short English texts
   */
  compose: code<(kind: MailKind, parts: MailParts) => MailText>(),
}

/** Options for e-mail. */
export interface MailConfig extends Options<typeof mailOptions> {}
export interface MailValues extends Values<typeof mailOptions> {}

export const mail: ZodType<MailValues, MailConfig> = section(mailOptions)

function url(pattern: RegExp, problem: string): ReturnType<typeof text> {
  return matching(pattern, problem).refine((value) => URL.canParse(value), problem)
}

export interface MailSettings extends Omit<MailValues, 'smtpUrl' | 'from'> {
  readonly mailer: Mailer
  readonly appUrl: string
}

export function resolveMail(
  { smtpUrl, from, mailer, appUrl, ...options }: MailValues,
  environment: Environment | undefined,
): MailSettings {
  return {
    ...options,
    // Missing only where no e-mail is sent.
    appUrl: appUrl ?? 'http://localhost',
    mailer: mailer ?? toMailer(smtpUrl, from, environment),
  }
}

function toMailer(
  smtpUrl: string | undefined,
  from: string | undefined,
  environment: Environment | undefined,
): Mailer {
  if (smtpUrl !== undefined && from !== undefined) return createSmtpMailer({ url: smtpUrl, from })
  if (environment === 'development') return createOutboxMailer()
  return environment === 'test' ? droppingMailer : failingMailer
}

const droppingMailer: Mailer = {
  async send() {},
}

// The responses stay the same and reveal nothing; the log has the error.
const failingMailer: Mailer = {
  async send() {
    throw new Error('There is no mail server: set SMTP_URL, MAIL_FROM and APP_URL.')
  },
}
