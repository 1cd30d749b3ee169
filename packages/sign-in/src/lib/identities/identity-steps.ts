import { majority, type SecretBox } from '@create-api/core/internal/sign-in'
import { type Model, type QueryFilter, trusted } from 'mongoose'
import { createToken, toDigest } from '../digest.ts'
import { type Account } from './account.ts'
import { type IdentityStepDocument } from './identity-models.ts'

// What the page of the application has begun.
export interface PageStep {
  /** SHA-256 of the verifier that the page keeps (RFC 7636, section 4.2). */
  readonly codeChallenge: string
  /** Where the browser returns to. */
  readonly returnTo: string
}

export interface AuthorizationStep extends PageStep {
  /** Digest of the token in the cookie of the browser. */
  readonly browser: string
  readonly redirectUri: string
}

export interface LoginStep extends Pick<PageStep, 'codeChallenge'> {
  readonly account: Account
}

// The data of a step, by the kind of the token that continues it.
interface StepData {
  /** The state of an authorization request. */
  readonly state: AuthorizationStep
  /** The token of the URL that links an account. */
  readonly link: PageStep
  /** The code that the application gets. */
  readonly code: LoginStep
  /** The nonce of an ID token. */
  readonly nonce: null
}
export type StepKind = keyof StepData

export interface Step<Kind extends StepKind> {
  /** Null for a nonce. */
  readonly provider: string | null
  /** User that the account will be linked to. */
  readonly userId: string | null
  readonly data: StepData[Kind]
}

// The tokens are stored as digests, and the data is encrypted.
export interface IdentitySteps {
  readonly create: <Kind extends StepKind>(
    kind: Kind,
    step: Step<Kind> & { readonly lifetime: number },
  ) => Promise<string>
  readonly find: <Kind extends StepKind>(
    kind: Kind,
    token: string,
  ) => Promise<Step<Kind> | undefined>
  /** Uses a token: one of several concurrent calls does. */
  readonly take: (kind: StepKind, token: string) => Promise<boolean>
  readonly removeAll: (userId: string) => Promise<void>
}

export function createIdentitySteps(
  model: Model<IdentityStepDocument>,
  { box, now }: { box: SecretBox; now: () => number },
): IdentitySteps {
  const toFilter = (kind: StepKind, token: string): QueryFilter<IdentityStepDocument> => ({
    _id: toDigest(kind, token),
    expiresAt: trusted({ $gt: new Date(now()) }),
  })
  return {
    async create(kind, { data, lifetime, provider, userId }) {
      const token = createToken()
      const id = toDigest(kind, token)
      const expiresAt = new Date(now() + lifetime)
      const sealed = box.seal(JSON.stringify(data), id)
      await model.insertOne({ _id: id, provider, userId, data: sealed, expiresAt })
      return token
    },
    async find(kind, token) {
      const found = await model.findOne(toFilter(kind, token)).lean()
      const opened = found && box.open(found.data, found._id)
      if (!opened) return undefined
      return { provider: found.provider, userId: found.userId, data: JSON.parse(opened.text) }
    },
    async take(kind, token) {
      const { deletedCount } = await model.deleteOne(toFilter(kind, token), majority)
      return deletedCount > 0
    },
    async removeAll(userId) {
      await model.deleteMany({ userId }, majority)
    },
  }
}
