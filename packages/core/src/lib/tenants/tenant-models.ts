import { type Model, Schema, type Types } from 'mongoose'
import { majority } from '../database/write-concern.ts'
import { type ModelPlace, requireModel } from '../auth/storage/model-registry.ts'

export interface OrganizationDocument {
  _id: Types.ObjectId
  name: string
  createdAt: Date
  updatedAt: Date
}

export interface MembershipDocument {
  _id: Types.ObjectId
  organization: Types.ObjectId
  /** Id of the user. */
  user: string
  roles: string[]
  /** Id of the attempt to take the role of an administrator away; null without one. */
  leaving: Types.ObjectId | null
  createdAt: Date
}

export interface InvitationDocument {
  /** SHA-256 of the token: nothing that could be presented. */
  _id: string
  organization: Types.ObjectId
  /** Id of the administrator who created it. */
  inviter: string
  roles: string[]
  /** The TTL index uses it. */
  expiresAt: Date
}

export interface TenantModels {
  readonly organizations: Model<OrganizationDocument>
  readonly memberships: Model<MembershipDocument>
  readonly invitations: Model<InvitationDocument>
}

const options = { versionKey: false, ...majority } as const

const organization = new Schema<OrganizationDocument>(
  { name: { type: String, required: true } },
  { ...options, timestamps: true },
)

const membership = new Schema<MembershipDocument>(
  {
    organization: { type: Schema.Types.ObjectId, ref: 'Organization', required: true },
    user: { type: String, required: true },
    roles: { type: [String], required: true },
    leaving: { type: Schema.Types.ObjectId, default: null },
    createdAt: { type: Date, required: true },
  },
  options,
)
membership.index({ organization: 1, user: 1 }, { unique: true })
membership.index({ user: 1 })

const invitation = new Schema<InvitationDocument>(
  {
    _id: { type: String, required: true },
    organization: { type: Schema.Types.ObjectId, ref: 'Organization', required: true },
    inviter: { type: String, required: true },
    roles: { type: [String], required: true },
    expiresAt: { type: Date, required: true },
  },
  options,
)
invitation.index({ expiresAt: 1 }, { expireAfterSeconds: 0 })

export function createTenantModels(place: ModelPlace): TenantModels {
  return {
    organizations: requireModel(place, {
      name: 'Organization',
      collection: 'organizations',
      schema: organization,
    }),
    memberships: requireModel(place, {
      name: 'Membership',
      collection: 'memberships',
      schema: membership,
      personal: { user: 'user', fields: ['organization', 'roles', 'createdAt'] },
    }),
    invitations: requireModel(place, {
      name: 'Invitation',
      collection: 'invitations',
      schema: invitation,
      personal: { user: 'inviter', fields: ['organization', 'roles', 'expiresAt'] },
    }),
  }
}
