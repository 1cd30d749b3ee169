import { type Mailer } from './mailer.ts'

/** Options for {@link createSmtpMailer}. */
export interface SmtpMailerOptions {
  /** Address of the server: `smtps://user:password@smtp.example.com:465`. */
  url: string
  /** Sender: `Blog <no-reply@example.com>`. */
  from: string
}

/**
 * Makes the mailer that hands mails to an SMTP server, through nodemailer.
 * @param options - server and sender
 * @returns the mailer
 * @throws TypeError when the URL is none of SMTP
 */
export function createSmtpMailer(options: SmtpMailerOptions): Mailer {
  const { url, from } = options
  if (!/^smtps?:\/\/./.test(url)) {
    throw new TypeError('createSmtpMailer: url must begin with smtp:// or smtps://.')
  }
  // Loaded with the first mail: most processes never send one.
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
