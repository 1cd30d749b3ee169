import { type Stored, versioned } from '@create-api/core/resource'
import { model, Schema } from 'mongoose'

const categorySchema = new Schema(
  {
    organization: {
      type: Schema.Types.ObjectId,
      ref: 'Organization',
      required: true,
      immutable: true,
    },
    name: { type: String, required: true, trim: true },
  },
  { collection: 'categories', timestamps: true },
).plugin(versioned)

categorySchema.index({ organization: 1, name: 1 }, { unique: true })
categorySchema.index({ organization: 1, _id: 1 })
categorySchema.index({ organization: 1, createdAt: 1, _id: 1 })

export type Category = Stored<typeof categorySchema>

export const CategoryModel = model('Category', categorySchema)
