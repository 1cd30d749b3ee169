import { type Logger } from '../logging/logger.ts'
import { createMemoryCounter } from '../limits/counter.ts'
import { type MailSettings, toSeconds } from './auth-settings.ts'
import { type MailTokenKind, type MailTokens, type MailTokenSubject } from './mail-tokens.ts'
import { type MailKind, type MailParts, type MailText } from './mailer.ts'
import { toEmailHash } from './security-events.ts'
import { type StoredUser } from './user-store.ts'

// Sends e-mail in the background, after the response.
export interface MailDelivery {
  readonly tokens: MailTokens
  /** Sends an e-mail to the user that `find` returns, if any; `email` is counted for the limit. */
  deliver(kind: MailKind, email: string, find: () => Promise<Recipient | undefined>): void
  /** Waits for e-mails that are being sent. */
  flush(): Promise<void>
}

export type Recipient = Pick<StoredUser, 'id' | 'email'>

export function createMailDelivery(
  options: MailSettings,
  tokens: MailTokens,
  { serviceName, logger, now }: { serviceName: string; logger: Logger; now: () => number },
): MailDelivery {
  const compose = options.compose ?? composeMail
  const toLink = createLinks(options)
  const sent = createMemoryCounter({ windowMs: 3_600_000, now })
  const pending = new Set<Promise<void>>()

  async function send(kind: MailKind, recipient: Recipient): Promise<void> {
    const { id, email } = recipient
    const link =
      kind === 'already-registered' ? noLink : await issueLink(kind, { userId: id, email })
    const text = compose(kind, { ...link, serviceName })
    await options.mailer.send({ kind, to: email, link: link.link, ...text })
  }

  async function issueLink(kind: MailTokenKind, subject: MailTokenSubject): Promise<Link> {
    const link = toLink(kind, await tokens.issue(kind, subject))
    return { link, lifetime: toSeconds(tokens.lifetimes[kind]) }
  }

  return {
    tokens,
    deliver(kind, email, find) {
      // The service must not be usable to flood a mailbox.
      if (sent.hit(`${kind} ${email}`).count > options.perHour) return
      const delivery = find()
        .then((recipient) => recipient && send(kind, recipient))
        .catch((error: unknown) => {
          logger.error(
            { err: error, kind, emailHash: toEmailHash(email) },
            'e-mail could not be sent',
          )
        })
        .finally(() => pending.delete(delivery))
      pending.add(delivery)
    },
    async flush() {
      await Promise.all(pending)
    },
  }
}

type Link = Pick<MailParts, 'link' | 'lifetime'>

const noLink: Link = { link: undefined, lifetime: undefined }

function createLinks(options: MailSettings): (kind: MailTokenKind, token: string) => string {
  const { appUrl, resetPath, verifyPath } = options
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
      text: `Someone requested a new password for your account. If it was you, open this link within ${toWords(lifetime)}:\n\n${link}\n\nIf it was not you, ignore this e-mail: nothing has changed.`,
    }
  }
  if (kind === 'verify-email') {
    return {
      subject: `${serviceName}: confirm your address`,
      text: `Open this link within ${toWords(lifetime)} to confirm that this is your e-mail address:\n\n${link}\n\nIf you did not register, ignore this e-mail.`,
    }
  }
  return {
    subject: `${serviceName}: you already have an account`,
    text: 'Someone tried to register with your e-mail address. You already have an account: log in, or request a new password. If it was not you, ignore this e-mail: nothing has changed.',
  }
}

const units = [
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
  ['second', 1],
] as const

// In the largest unit without a fraction.
function toWords(seconds: number): string {
  const [name, length] = units.find(([, size]) => seconds % size === 0) ?? units[3]
  const count = seconds / length
  return `${count} ${name}${count === 1 ? '' : 's'}`
}
