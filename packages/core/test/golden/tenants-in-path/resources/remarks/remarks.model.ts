import { type Stored, versioned } from '@create-api/core/resource'
import { model, Schema } from 'mongoose'

const remarkSchema = new Schema(
  {
    organization: {
      type: Schema.Types.ObjectId,
      ref: 'Organization',
      required: true,
      immutable: true,
    },
    note: { type: Schema.Types.ObjectId, ref: 'Note', required: true, immutable: true },
    owner: { type: Schema.Types.ObjectId, ref: 'User', required: true, immutable: true },
    body: { type: String, required: true },
  },
  { collection: 'remarks', timestamps: true },
).plugin(versioned)

remarkSchema.index({ organization: 1, note: 1, _id: 1 })
remarkSchema.index({ organization: 1, note: 1, createdAt: 1, _id: 1 })

export type Remark = Stored<typeof remarkSchema>

export const RemarkModel = model('Remark', remarkSchema)
