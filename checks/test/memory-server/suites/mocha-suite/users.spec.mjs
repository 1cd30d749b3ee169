import assert from 'node:assert/strict'
import mongoose from 'mongoose'

const User = mongoose.model('User', new mongoose.Schema({ name: String }))

describe('users', () => {
  it('are none at first', async () => {
    assert.equal(await User.countDocuments(), 0)
  })

  it('can be saved', async () => {
    await User.create({ name: 'Ada' })
    assert.equal((await User.findOne({ name: /^a/i })).name, 'Ada')
  })
})
