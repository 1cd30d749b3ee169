import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import mongoose from 'mongoose'
import request from 'supertest'
import { app } from '../src/app.js'

const account = { name: 'Ada', email: 'ada@example.org', password: 'correct horse' }

before(async () => {
  process.env.JWT_SECRET ??= 'bookshelf'
  await mongoose.connect(process.env.MONGO_URL, { dbName: 'bookshelf_test' })
  await mongoose.connection.dropDatabase()
})

after(() => mongoose.disconnect())

test('serves its status', async () => {
  await request(app).get('/status').expect(200, { ok: true })
})

test('takes books of users who are logged in', async () => {
  await request(app).post('/books').send({ title: 'SICP' }).expect(401)
  await request(app).post('/auth/register').send(account).expect(201)
  const { name: _name, ...credentials } = account
  const { body } = await request(app).post('/auth/login').send(credentials).expect(200)
  const token = `Bearer ${body.token}`
  const book = { title: 'SICP', pages: 657, tags: ['lisp'] }
  await request(app).post('/books').set('authorization', token).send(book).expect(201)
  await request(app).post('/books').set('authorization', token).send({ pages: 0 }).expect(400)
  const { body: books } = await request(app).get('/books').expect(200)
  assert.equal(books[0].title, 'SICP')
})

test('answers unknown paths itself', async () => {
  await request(app).get('/nowhere').expect(404, { message: 'no GET /nowhere' })
  await request(app).get('/books').expect(200).expect('content-type', /json/)
})
