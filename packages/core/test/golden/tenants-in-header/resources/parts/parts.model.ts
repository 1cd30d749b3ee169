import { type Stored, versioned } from '@create-api/core/resource'
import { model, Schema } from 'mongoose'

const partSchema = new Schema(
  {
    organization: {
      type: Schema.Types.ObjectId,
      ref: 'Organization',
      required: true,
      immutable: true,
    },
    draft: { type: Schema.Types.ObjectId, ref: 'Draft', required: true, immutable: true },
    owner: { type: Schema.Types.ObjectId, ref: 'User', required: true, immutable: true },
    body: { type: String, required: true },
  },
  { collection: 'parts', timestamps: true },
).plugin(versioned)

partSchema.index({ organization: 1, draft: 1, owner: 1, _id: 1 })
partSchema.index({ organization: 1, draft: 1, owner: 1, createdAt: 1, _id: 1 })

export type Part = Stored<typeof partSchema>

export const PartModel = model('Part', partSchema)
