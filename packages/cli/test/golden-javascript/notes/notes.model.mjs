import { versioned } from '@create-api/core/resource'
import { model, Schema } from 'mongoose'

/** @import { Stored } from '@create-api/core/resource' */

const noteSchema = new Schema(
  {
    organization: {
      type: Schema.Types.ObjectId,
      ref: 'Organization',
      required: true,
      immutable: true,
    },
    title: { type: String, required: true, trim: true },
    code: { type: Number, required: true },
  },
  { collection: 'notes', timestamps: true },
).plugin(versioned)

noteSchema.index({ organization: 1, code: 1 }, { unique: true })
noteSchema.index({ organization: 1, _id: 1 })
noteSchema.index({ organization: 1, title: 1, _id: 1 })
noteSchema.index({ organization: 1, createdAt: 1, _id: 1 })

/** @typedef {Stored<typeof noteSchema>} Note */

export const NoteModel = model('Note', noteSchema)
