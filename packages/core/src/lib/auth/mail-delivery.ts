import { type Logger } from '../logging/logger.ts'
import { createFixedWindow } from '../pipeline/fixed-window.ts'
import { type MailTokens, type MailTokenSubject } from './mail-tokens.ts'
import { type MailTokenKind } from './mail-token-model.ts'
import { type Mail, type Mailer, type MailKind } from './mailer.ts'
import { toEmailHash } from './security-events.ts'
import { type StoredUser } from './user-store.ts'

/** Options for mails. */
export interface MailOptions {
  /** What sends them: `createSmtpMailer`, `createOutboxMailer`, or your own. */
  mailer: Mailer
  /** Address of the front end; the links lead there: `https://app.example.com`. */
  appUrl: string
  /**
   * Path of the page that takes the token of a mail (`?token=…`) and posts it to
   * `/reset-password`.
   * @default '/reset-password'
   */
  resetPath?: string | undefined
  /**
   * Path of the page that takes the token of a mail (`?token=…`) and posts it to `/verify-email`.
   * @default '/verify-email'
   */
  verifyPath?: string | undefined
  /**
   * Seconds for which a link to a new password is good.
   * @default 3600
   */
  resetLifetime?: number | undefined
  /**
   * Seconds for which a link that verifies an address is good.
   * @default 86400
   */
  verifyLifetime?: number | undefined
  /**
   * Mails of one kind to one address per hour; more are not sent.
   * @default 3
   */
  perHour?: number | undefined
  /**
   * Writes the mails.
   * @default short English texts
   */
  compose?: ((kind: MailKind, parts: MailParts) => MailText) | undefined
}

/** What a mail is written from. */
export interface MailParts {
  /** The link; a mail to somebody who is registered already has none. */
  link: string | undefined
  /** Seconds for which the link is good. */
  lifetime: number | undefined
  /** Name of the service. */
  serviceName: string
}

/** A written mail. */
export type MailText = Pick<Mail, 'subject' | 'text' | 'html'>

/** Sends mails behind the back of the request. */
export interface MailDelivery {
  /** The links. */
  readonly tokens: MailTokens
  /**
   * Sends a mail to the user that is found, if one is; the caller does not wait.
   * @param kind - what for
   * @param email - canonical address, for the limit
   * @param find - whom to send it to
   */
  deliver(kind: MailKind, email: string, find: () => Promise<Recipient | undefined>): void
  /** Waits for what is under way. */
  flush(): Promise<void>
}

/** Whom a mail goes to. */
export type Recipient = Pick<StoredUser, 'id' | 'email'>

/** What delivery needs besides its options. */
export interface MailDeliveryParts {
  tokens: MailTokens
  serviceName: string
  logger: Logger
  now: () => number
}

/**
 * Makes the delivery of mails.
 * @param options - mailer, links and texts
 * @param parts - links, name, logger and clock
 * @returns the delivery
 * @throws TypeError when `appUrl` is no URL of http or https
 */
export function createMailDelivery(options: MailOptions, parts: MailDeliveryParts): MailDelivery {
  const { tokens, serviceName, logger, now } = parts
  const compose = options.compose ?? composeMail
  const toLink = createLinks(options)
  const sent = createFixedWindow({ windowMs: 3_600_000, now })
  const underWay = new Set<Promise<void>>()

  async function send(kind: MailKind, recipient: Recipient): Promise<void> {
    const { id, email } = recipient
    const good =
      kind === 'already-registered' ? noLink : await issueLink(kind, { userId: id, email })
    const text = compose(kind, { ...good, serviceName })
    await options.mailer.send({ kind, to: email, link: good.link, ...text })
  }

  async function issueLink(kind: MailTokenKind, subject: MailTokenSubject): Promise<Link> {
    const link = toLink(kind, await tokens.issue(kind, subject))
    return { link, lifetime: tokens.lifetimes[kind] / 1000 }
  }

  return {
    tokens,
    deliver(kind, email, find) {
      // Nobody's mailbox is flooded through us.
      if (sent.hit(`${kind} ${email}`).count > (options.perHour ?? 3)) return
      const delivery = find()
        .then((recipient) => recipient && send(kind, recipient))
        .catch((error: unknown) => {
          logger.error(
            { err: error, kind, emailHash: toEmailHash(email) },
            'mail could not be sent',
          )
        })
        .finally(() => underWay.delete(delivery))
      underWay.add(delivery)
    },
    async flush() {
      await Promise.all(underWay)
    },
  }
}

type Link = Pick<MailParts, 'link' | 'lifetime'>

const noLink: Link = { link: undefined, lifetime: undefined }

function createLinks(options: MailOptions): (kind: MailTokenKind, token: string) => string {
  const { appUrl, resetPath = '/reset-password', verifyPath = '/verify-email' } = options
  if (!/^https?:\/\//.test(appUrl) || !URL.canParse(appUrl)) {
    throw new TypeError("auth.mail.appUrl must be an address such as 'https://app.example.com'.")
  }
  // Joined as text: an address with a path keeps it.
  const base = appUrl.replace(/\/+$/, '')
  return (kind, token) => {
    const path = kind === 'reset-password' ? resetPath : verifyPath
    const link = new URL(`${base}/${path.replace(/^\//, '')}`)
    link.searchParams.set('token', token)
    return link.href
  }
}

function composeMail(kind: MailKind, { link, lifetime = 0, serviceName }: MailParts): MailText {
  if (kind === 'reset-password') {
    return {
      subject: `${serviceName}: set a new password`,
      text: `Somebody asked to set a new password for your account. If it was you, open this link within ${toWords(lifetime)}:\n\n${link}\n\nIf it was not you, ignore this mail: nothing has changed.`,
    }
  }
  if (kind === 'verify-email') {
    return {
      subject: `${serviceName}: confirm your address`,
      text: `Open this link within ${toWords(lifetime)} to confirm that this is your address:\n\n${link}\n\nIf you did not register, ignore this mail.`,
    }
  }
  return {
    subject: `${serviceName}: you are registered already`,
    text: 'Somebody tried to register with your address. You have an account already: log in, or ask for a new password. If it was not you, ignore this mail: nothing has changed.',
  }
}

const units = [
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
  ['second', 1],
] as const

// The largest unit that says it without a fraction.
function toWords(seconds: number): string {
  const [name, length] = units.find(([, size]) => seconds % size === 0) ?? units[3]
  const count = seconds / length
  return `${count} ${name}${count === 1 ? '' : 's'}`
}
