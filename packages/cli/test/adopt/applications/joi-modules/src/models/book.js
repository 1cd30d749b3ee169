import mongoose from 'mongoose'

const bookSchema = new mongoose.Schema(
  {
    title: { type: String, required: true, maxlength: 200 },
    pages: { type: Number, min: 1 },
    tags: [String],
  },
  { timestamps: true },
)

export const Book = mongoose.model('Book', bookSchema)
