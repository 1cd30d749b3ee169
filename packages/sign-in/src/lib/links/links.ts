import { ApiError } from '@create-api/core'
import { type AuthGrant, type AuthRequest, type RequestFacts } from '@create-api/core/auth'
import {
  majority,
  parseInput,
  type SignInContext,
  toEmailHash,
  toFacts,
} from '@create-api/core/internal/sign-in'
import { type Model, trusted } from 'mongoose'
import { createCode } from '../codes.ts'
import { createToken, toDigest } from '../digest.ts'
import { signInErrors } from '../errors.ts'
import { type LinkSettings } from '../options.ts'
import { type WayParts } from '../way.ts'
import { type LoginLinkDocument } from './link-model.ts'
import {
  type LinkLoginInput,
  linkLoginInput,
  type LoginLinkInput,
  type LoginLinkRequest,
} from './link-schemas.ts'

/** Logins by a link or a code in a mail. */
export interface Links {
  /**
   * Sends a link and a code, if there is such a user; in the background, so that neither result nor time reveal it. Needs
   * `auth.mail`.
   * @param input - the address
   * @param request - the request that it belongs to
   * @returns a token for the browser that asks, without which link and code do not work
   * @throws ApiError `validation_failed` or `rate_limited`
   */
  request(input: LoginLinkInput, request?: AuthRequest): Promise<LoginLinkRequest>
  /**
   * Opens a session by the token of the request, and the token of the link or the code. It works once. An address that was
   * not verified is verified now; password, factors and sessions from before then end.
   * @param input - the tokens, or token and code
   * @param request - the request that it belongs to
   * @returns the user and tokens
   * @throws ApiError `validation_failed`, `invalid_token`, `invalid_code`, `second_factor_required`,
   * `second_factor_setup_required` or `rate_limited`
   */
  complete(input: LinkLoginInput, request?: AuthRequest): Promise<AuthGrant>
}

export interface LinkParts extends Pick<WayParts, 'beforeSession' | 'context' | 'verifyAddress'> {
  readonly settings: LinkSettings
  readonly model: Model<LoginLinkDocument>
}

const maxAttempts = 5

// Routes count requests themselves: for them, `takeLimit` does nothing.
export function createLinks(parts: LinkParts, takeLimit: SignInContext['takeLimit']): Links {
  const { now, schemas } = parts.context
  return {
    async request(input, request) {
      const facts = toFacts(request, now())
      await takeLimit('loginLink', facts)
      return requestLink(parts, parseInput(schemas.emailOnly, input).email, facts)
    },
    async complete(input, request) {
      const facts = toFacts(request, now())
      const takeBack = await takeLimit('secondFactor', facts)
      const grant = await complete(parts, parseInput(linkLoginInput, input), facts)
      takeBack()
      return grant
    },
  }
}

// For an unknown address it does the same work, except for the mail, which is sent in the background.
async function requestLink(
  { context, model, settings }: LinkParts,
  email: string,
  facts: RequestFacts,
): Promise<LoginLinkRequest> {
  const { events, mail, now, users } = context
  const found = (await users.findCredentials(email))?.user
  const user = found?.disabled ? undefined : found
  const [requestToken, token, code] = [createToken(), createToken(), createCode(8)]
  await model.insertOne({
    _id: toDigest(requestToken),
    userId: user?.id ?? null,
    email,
    link: toDigest(token),
    code: toDigest(requestToken, code),
    attempts: 0,
    expiresAt: new Date(now() + settings.lifetime),
  })
  events.emit('auth.login_link_requested', facts, { emailHash: toEmailHash(email) })
  const login = { ...settings, token, code: code.replace(/^.{4}/, '$&-') }
  mail?.deliver('login-link', email, async () => user, login)
  return { requestToken, expiresIn: Math.floor(settings.lifetime / 1000) }
}

async function complete(
  parts: LinkParts,
  { requestToken, token, code }: LinkLoginInput,
  facts: RequestFacts,
): Promise<AuthGrant> {
  const { context, model } = parts
  const { events, now, openSession, users } = context
  const id = toDigest(requestToken)
  // Counted before it is compared: concurrent guesses are as few as others.
  const login = await model
    .findOneAndUpdate(
      {
        _id: id,
        attempts: trusted({ $lt: maxAttempts }),
        expiresAt: trusted({ $gt: new Date(now()) }),
      },
      { $inc: { attempts: 1 } },
      majority,
    )
    .lean()
  if (!login) throw new ApiError('invalid_token')
  const isRight =
    token === undefined
      ? login.code === toDigest(requestToken, code ?? '')
      : login.link === toDigest(token)
  if (!isRight)
    throw new ApiError(token === undefined ? signInErrors.invalid_code : 'invalid_token')
  const user = login.userId === null ? undefined : await users.findById(login.userId)
  const { deletedCount } = await model.deleteOne({ _id: id }, majority)
  if (!user || user.disabled || user.email !== login.email || deletedCount === 0) {
    throw new ApiError('invalid_token')
  }
  await parts.verifyAddress(user, facts)
  await context.beforeLogin(user, facts)
  await parts.beforeSession(user, facts)
  events.emit('auth.login_link_used', facts, { userId: user.id })
  return openSession(user.id, facts)
}
