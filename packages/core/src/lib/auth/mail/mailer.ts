import { mkdir, writeFile } from 'node:fs/promises'
import path from 'node:path'

/** An e-mail to be sent. */
export interface Mail {
  /** Its purpose; `webhook-disabled` is sent by `@create-api/webhooks`. */
  readonly kind: MailKind | 'webhook-disabled'
  /** Address of the recipient. */
  readonly to: string
  /** Its subject. */
  readonly subject: string
  /** Its text. */
  readonly text: string
  /**
   * Its text as HTML.
   * @default undefined
   */
  readonly html?: string | undefined
  /** The link in it: valid once, for a limited time. */
  readonly link?: string | undefined
}

/** The purpose of an e-mail. */
export type MailKind =
  | 'verify-email'
  | 'reset-password'
  | 'change-email'
  | 'already-registered'
  | 'email-change-requested'
  | 'email-changed'
  | 'login-link'
  | 'password-changed'
  | 'new-device'
  | 'factor-added'
  | 'factor-removed'
  | 'factors-reset'
  | 'recovery-code-used'
  | 'identity-linked'
  | 'identity-unlinked'
  | 'passkey-added'
  | 'passkey-removed'

export interface MailParts {
  /** The link; notices such as `already-registered` have none. */
  link: string | undefined
  /** Lifetime of the link in seconds. */
  lifetime: number | undefined
  /** The code of a `login-link`, for typing; others have none. */
  code: string | undefined
  /** Name of the service. */
  serviceName: string
}

export type MailText = Pick<Mail, 'subject' | 'text' | 'html'>

/** Sends e-mail; implement it to use a provider's own API. */
export interface Mailer {
  /**
   * Sends an e-mail.
   * @param mail - the e-mail
   * @throws when it could not be sent; the error is logged, and the user can request another e-mail
   */
  send(mail: Mail): Promise<void>
}

/** Options for {@link createSmtpMailer}. */
export interface SmtpMailerOptions {
  /** URL of the server: `smtps://user:password@smtp.example.com:465`. */
  url: string
  /** Sender: `Blog <no-reply@example.com>`. */
  from: string
}

/**
 * Creates a mailer that sends through an SMTP server (RFC 5321), with nodemailer.
 * @param options - server and sender
 * @returns the mailer
 * @throws TypeError when the URL is not an SMTP URL
 * @example
 * ```ts
 * createSmtpMailer({ url: 'smtps://user:password@smtp.example.com:465', from: 'Blog <no-reply@example.com>' })
 * ```
 */
export function createSmtpMailer(options: SmtpMailerOptions): Mailer {
  const { url, from } = options
  if (!/^smtps?:\/\/./.test(url)) {
    throw new TypeError('createSmtpMailer: url must begin with smtp:// or smtps://.')
  }
  // Loaded with the first e-mail: most processes never send one.
  const transport = createLazy(async () => {
    const { createTransport } = await import('nodemailer')
    return createTransport(url, { from })
  })
  return {
    async send({ to, subject, text, html }) {
      await (await transport()).sendMail({ to, subject, text, html })
    },
  }
}

function createLazy<T>(create: () => Promise<T>): () => Promise<T> {
  let value: Promise<T> | undefined
  return () => (value ??= create())
}

/** Options for {@link createOutboxMailer}. */
export interface OutboxMailerOptions {
  /**
   * Folder that the e-mails are written to.
   * @default '.data/mail'
   */
  directory?: string | undefined
  /**
   * Prints a line about each e-mail, for the developer.
   * @default writes the line, with the link, to standard output
   */
  print?: ((line: string) => void) | undefined
}

/**
 * Creates the mailer for development: it writes each e-mail to a file and prints its link. Nothing
 * leaves the machine.
 * @param options - folder and printer
 * @returns the mailer
 */
export function createOutboxMailer(options: OutboxMailerOptions = {}): Mailer {
  const { directory = path.join('.data', 'mail'), print = printLine } = options
  let count = 0
  return {
    async send({ kind, to, subject, text, link }) {
      await mkdir(directory, { recursive: true, mode: 0o700 })
      const time = new Date().toISOString().replaceAll(':', '-')
      const file = path.join(directory, `${time}-${++count}-${kind}.txt`)
      const content = `To: ${to}\nSubject: ${subject}\n\n${text}\n`
      // The links are as good as passwords, also on a developer's machine.
      await writeFile(file, content, { mode: 0o600, flag: 'wx' })
      print(`mail to ${to}: ${subject}${link === undefined ? '' : ` ${link}`} (${file})`)
    },
  }
}

function printLine(line: string): void {
  process.stdout.write(`${line}\n`)
}
