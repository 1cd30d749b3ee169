import { type Stored, versioned } from '@create-api/core/resource'
import { model, Schema } from 'mongoose'

const draftSchema = new Schema(
  {
    organization: {
      type: Schema.Types.ObjectId,
      ref: 'Organization',
      required: true,
      immutable: true,
    },
    owner: { type: Schema.Types.ObjectId, ref: 'User', required: true, immutable: true },
    title: { type: String, required: true, trim: true },
    follows: { type: Schema.Types.ObjectId, ref: 'Draft' },
  },
  { collection: 'drafts', timestamps: true },
).plugin(versioned)

draftSchema.index({ organization: 1, owner: 1, _id: 1 })
draftSchema.index({ organization: 1, owner: 1, title: 1, _id: 1 })
draftSchema.index({ organization: 1, owner: 1, follows: 1, _id: 1 })
draftSchema.index({ organization: 1, owner: 1, createdAt: 1, _id: 1 })

export type Draft = Stored<typeof draftSchema>

export const DraftModel = model('Draft', draftSchema)
