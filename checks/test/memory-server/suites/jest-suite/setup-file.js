const mongoose = require('mongoose')

beforeAll(() => mongoose.connect(`${process.env.MONGO_URI}/library`))
afterAll(() => mongoose.disconnect())
