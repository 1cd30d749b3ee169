const mongoose = require('mongoose')

test('shares the database of the suite', async () => {
  const seeds = mongoose.connection.collection('seeds')
  await seeds.insertOne({ worker: process.env.JEST_WORKER_ID })
  expect(await seeds.countDocuments({ name: 'seed' })).toBe(1)
})
