import { softDelete, type Stored, versioned } from '@create-api/core/resource'
import { model, Schema } from 'mongoose'

const noteSchema = new Schema(
  {
    organization: {
      type: Schema.Types.ObjectId,
      ref: 'Organization',
      required: true,
      immutable: true,
    },
    owner: { type: Schema.Types.ObjectId, ref: 'User', required: true, immutable: true },
    title: { type: String, required: true, trim: true },
    code: { type: String, trim: true },
    category: { type: Schema.Types.ObjectId, ref: 'Category' },
  },
  { collection: 'notes', timestamps: true },
)
  .plugin(versioned)
  .plugin(softDelete)

noteSchema.index(
  { organization: 1, code: 1 },
  { unique: true, partialFilterExpression: { code: { $exists: true } } },
)
noteSchema.index({ organization: 1, _id: 1 })
noteSchema.index({ organization: 1, title: 1, _id: 1 })
noteSchema.index({ organization: 1, category: 1, _id: 1 })
noteSchema.index({ organization: 1, createdAt: 1, _id: 1 })

export type Note = Stored<typeof noteSchema>

export const NoteModel = model('Note', noteSchema)
