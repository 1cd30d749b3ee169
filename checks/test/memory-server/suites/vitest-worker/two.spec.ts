import mongoose from 'mongoose'
import { expect, it, vi } from 'vitest'

const bookSchema = new mongoose.Schema({ title: String, tags: [String], price: 'Decimal128' })
const Book = mongoose.models['Book'] ?? mongoose.model('Book', bookSchema)

it('saves and finds', async () => {
  await Book.create({ title: 'Emma', tags: ['novel'], price: '12.50' })
  expect(await Book.findOne({ tags: 'novel' }).lean()).toMatchObject({ title: 'Emma' })
})

it('starts with an empty database', async () => {
  expect(await Book.countDocuments()).toBe(0)
})

it('answers while timers are mocked', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'setInterval', 'Date'] })
  await Book.create({ title: 'Emma' })
  expect(await Book.countDocuments()).toBe(1)
  vi.useRealTimers()
})
