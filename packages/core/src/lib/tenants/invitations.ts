import { createHash, randomBytes } from 'node:crypto'
import { type Model, trusted } from 'mongoose'
import { type InvitationDocument } from './tenant-models.ts'

/** An invitation to an organization, as its creator receives it. */
export interface Invitation {
  /** The secret that the invited person presents; it is shown once and works once. */
  readonly token: string
  /** The roles of the new member. */
  readonly roles: readonly string[]
  /** When it expires. */
  readonly expiresAt: Date
}

export interface InvitationStore {
  issue(organization: string, inviter: string, roles: readonly string[]): Promise<Invitation>
  /** Uses an invitation: one of several concurrent calls gets it. */
  take(organization: string, token: string): Promise<InvitationDocument | undefined>
  removeAll(organization: string): Promise<void>
}

const lifetimeMs = 7 * 24 * 60 * 60 * 1000

// A secret that its creator passes on: nothing shows whether an address has an account.
export function createInvitationStore(model: Model<InvitationDocument>): InvitationStore {
  return {
    async issue(organization, inviter, roles) {
      const token = randomBytes(32).toString('base64url')
      const expiresAt = new Date(Date.now() + lifetimeMs)
      const document = { _id: toDigest(token), organization, inviter, roles: [...roles], expiresAt }
      await model.insertOne(document)
      return { token, roles, expiresAt }
    },
    async take(organization, token) {
      const expiresAt = trusted({ $gt: new Date() })
      const filter = { _id: toDigest(token), organization, expiresAt }
      return (await model.findOneAndDelete(filter).lean()) ?? undefined
    },
    async removeAll(organization) {
      await model.deleteMany({ organization })
    },
  }
}

function toDigest(token: string): string {
  return createHash('sha256').update(token).digest('base64url')
}
