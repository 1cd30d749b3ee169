import mongoose from 'mongoose'

const reviewSchema = new mongoose.Schema({
  text: { type: String, required: true },
  stars: { type: Number, min: 1, max: 5, required: true },
})

export const Review = mongoose.model('Review', reviewSchema)
