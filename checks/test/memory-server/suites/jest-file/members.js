const mongoose = require('mongoose')

const memberSchema = new mongoose.Schema(
  { name: { type: String, required: true }, email: { type: String, unique: true } },
  { timestamps: true },
)

exports.Member = mongoose.model('Member', memberSchema)
