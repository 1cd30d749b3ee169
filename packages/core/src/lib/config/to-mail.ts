import { type MailOptions } from '../auth/mail-delivery.ts'
import { type Mailer } from '../auth/mailer.ts'
import { createOutboxMailer } from '../auth/outbox-mailer.ts'
import { createSmtpMailer } from '../auth/smtp-mailer.ts'
import { type MailConfig } from './section-configs.ts'
import { type Values } from './read-variables.ts'

/**
 * Chooses how mails go out.
 * @param config - the option `auth.mail`
 * @param values - every variable
 * @returns the options of `createAuth`, or undefined when mails are switched off
 */
export function toMail(
  config: MailConfig | false | undefined,
  values: Values,
): MailOptions | undefined {
  if (config === false) return undefined
  const { smtpUrl: _smtpUrl, from: _from, mailer = toMailer(values), ...options } = config ?? {}
  // Missing only where no mail goes out: check-together.ts.
  return { ...options, mailer, appUrl: values.APP_URL ?? 'http://localhost' }
}

function toMailer({ SMTP_URL: url, MAIL_FROM: from, NODE_ENV: environment }: Values): Mailer {
  if (url !== undefined && from !== undefined) return createSmtpMailer({ url, from })
  if (environment === 'development') return createOutboxMailer()
  return environment === 'test' ? droppingMailer : failingMailer
}

const droppingMailer: Mailer = {
  async send() {},
}

// The routes answer as ever, so that nobody learns anything; whoever runs the service does.
const failingMailer: Mailer = {
  async send() {
    throw new Error('There is no mail server: set SMTP_URL, MAIL_FROM and APP_URL.')
  },
}
