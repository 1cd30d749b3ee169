import { type Logger } from '../../logging/logger.ts'
import { createMemoryCounter } from '../../limits/counter.ts'
import { toSeconds } from '../../options/parse-duration.ts'
import { type MailSettings } from './mail-options.ts'
import { type MailTokenKind, type MailTokens, type MailTokenSubject } from './mail-tokens.ts'
import { type MailKind, type MailParts, type MailText } from './mailer.ts'
import { toEmailHash } from '../events/security-events.ts'
import { type StoredUser } from '../users/user-store.ts'

// Sends e-mail in the background, after the response.
export interface MailDelivery {
  readonly tokens: MailTokens
  /** Address of the front end. */
  readonly appUrl: string
  /**
   * Sends an e-mail to the user that `find` returns, if any; `email` is counted for the limit. A `login-link` has the
   * link of the caller.
   */
  deliver(
    kind: MailKind,
    email: string,
    find: () => Promise<Recipient | undefined>,
    login?: LoginLink,
  ): void
  /** Waits for e-mails that are being sent. */
  flush(): Promise<void>
}

export interface LoginLink {
  /** Path of the page that reads the token. */
  readonly path: string
  readonly token: string
  readonly code: string
  /** In milliseconds. */
  readonly lifetime: number
}

export type Recipient = Pick<StoredUser, 'id' | 'email'>

export function createMailDelivery(
  options: MailSettings,
  tokens: MailTokens,
  { serviceName, logger, now }: { serviceName: string; logger: Logger; now: () => number },
): MailDelivery {
  const compose = options.compose ?? composeMail
  const toLink = createLinks(options)
  const sent = createMemoryCounter({ window: 3_600_000, now })
  const pending = new Set<Promise<void>>()

  async function send(
    kind: MailKind,
    { id, email }: Recipient,
    login: LoginLink | undefined,
  ): Promise<void> {
    const link = login
      ? { ...login, link: toUrl(options, login), lifetime: toSeconds(login.lifetime) }
      : await createLink(kind, { userId: id, email })
    const { code, lifetime } = link
    const text = compose(kind, { code, lifetime, link: link.link, serviceName })
    await options.mailer.send({ kind, to: email, link: link.link, ...text })
  }

  async function createLink(kind: MailKind, subject: MailTokenSubject): Promise<Link> {
    if (!isLinked(kind)) return noLink
    const link = toLink(kind, await tokens.issue(kind, subject))
    return { link, lifetime: toSeconds(tokens.lifetimes[kind]), code: undefined }
  }

  return {
    tokens,
    appUrl: options.appUrl,
    deliver(kind, email, find, login) {
      // The service must not be usable to flood a mailbox.
      if (sent.hit(`${kind} ${email}`).count > options.perHour) return
      const delivery = find()
        .then((recipient) => recipient && send(kind, recipient, login))
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

type Link = Pick<MailParts, 'link' | 'lifetime' | 'code'>

const noLink: Link = { link: undefined, lifetime: undefined, code: undefined }

function isLinked(kind: MailKind): kind is MailTokenKind {
  return kind === 'verify-email' || kind === 'reset-password' || kind === 'change-email'
}

function createLinks(options: MailSettings): (kind: MailTokenKind, token: string) => string {
  const { resetPath, verifyPath, confirmPath } = options
  const paths = {
    'reset-password': resetPath,
    'verify-email': verifyPath,
    'change-email': confirmPath,
  }
  return (kind, token) => toUrl(options, { path: paths[kind], token })
}

// Joined as text: an address with a path keeps it.
function toUrl(
  { appUrl }: MailSettings,
  { path, token }: Pick<LoginLink, 'path' | 'token'>,
): string {
  const link = new URL(`${appUrl.replace(/\/+$/, '')}/${path.replace(/^\//, '')}`)
  link.searchParams.set('token', token)
  return link.href
}

function composeMail(
  kind: MailKind,
  { code = '', link, lifetime = 0, serviceName }: MailParts,
): MailText {
  const { subject, text } = texts[kind](toWords(lifetime), `:\n\n${link}\n\n`, code)
  return { subject: `${serviceName}: ${subject}`, text }
}

// The texts contain the time within which the link works, and the link.
const texts: Readonly<
  Record<MailKind, (time: string, link: string, code: string) => { subject: string; text: string }>
> = {
  'reset-password': (time, link) => ({
    subject: 'set a new password',
    text: `Someone requested a new password for your account. If it was you, open this link within ${time}${link}If it was not you, ignore this e-mail: nothing has changed.`,
  }),
  'verify-email': (time, link) => ({
    subject: 'confirm your address',
    text: `Open this link within ${time} to confirm that this is your e-mail address${link}If you did not register, ignore this e-mail.`,
  }),
  'change-email': (time, link) => ({
    subject: 'confirm your new address',
    text: `Open this link within ${time} to confirm that this is the new e-mail address of your account${link}If you did not request this, ignore this e-mail: nothing has changed.`,
  }),
  'login-link': (time, link, code) => ({
    subject: 'log in',
    text: `Open this link within ${time}, in the browser in which you requested it, to log in${link}Or type this code there: ${code}\n\nIf it was not you, ignore this e-mail, and do not give the code to anyone.`,
  }),
  'already-registered': () => ({
    subject: 'you already have an account',
    text: 'Someone tried to register with your e-mail address. You already have an account: log in, or request a new password. If it was not you, ignore this e-mail: nothing has changed.',
  }),
  'email-change-requested': () => ({
    subject: 'your address is about to change',
    text: 'Someone who knows your password requested another e-mail address for your account; a link was sent there. If it was not you, change your password: the link then no longer works.',
  }),
  'email-changed': () => ({
    subject: 'your address was changed',
    text: 'The e-mail address of your account was changed; this one no longer belongs to it. If you did not want this, contact the operator of the service.',
  }),
  'password-changed': () => ({
    subject: 'your password was changed',
    text: `The password of your account was changed. ${contact}`,
  }),
  'new-device': () => ({
    subject: 'a login from a new device',
    text: `Someone logged in to your account with a browser or an application that was not used before. ${contact}`,
  }),
  'factor-added': () => ({
    subject: 'a second factor was added',
    text: `A second factor was added to your account. From now on, a login needs it. ${contact}`,
  }),
  'factor-removed': () => ({
    subject: 'a second factor was removed',
    text: `A second factor was removed from your account. ${contact}`,
  }),
  'factors-reset': () => ({
    subject: 'your second factors were removed',
    text: `An administrator removed all second factors of your account, so that you can set up new ones. If you did not ask for it, contact the operator of the service.`,
  }),
  'recovery-code-used': () => ({
    subject: 'a recovery code was used',
    text: `Someone logged in to your account with a recovery code. The code no longer works. ${contact}`,
  }),
  'identity-linked': () => ({
    subject: 'a login with another provider was added',
    text: `An account of another provider was linked to your account. From now on, it can be used to log in. ${contact}`,
  }),
  'identity-unlinked': () => ({
    subject: 'a login with another provider was removed',
    text: `An account of another provider was unlinked from your account. It can no longer be used to log in. ${contact}`,
  }),
  'passkey-added': () => ({
    subject: 'a passkey was added',
    text: `A passkey was added to your account. It can be used to log in. ${contact}`,
  }),
  'passkey-removed': () => ({
    subject: 'a passkey was removed',
    text: `A passkey was removed from your account. ${contact}`,
  }),
}

const contact = 'If it was not you, change your password and contact the operator of the service.'

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
