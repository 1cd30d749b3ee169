import { randomBytes } from 'node:crypto'
import { startEmbeddedMongo } from '@create-api/embedded-mongo'
import mongoose from 'mongoose'
import { afterAll, expect, it } from 'vitest'
import { startSharedLimits } from './shared-limits.ts'

const database = process.env['MONGODB_URI']
  ? { uri: process.env['MONGODB_URI'], stop: async () => {} }
  : await startEmbeddedMongo({ storage: { memory: true } })

afterAll(() => database.stop())

it('RL-05 F-15 rate limits of several processes are exact together when they share the database', async () => {
  const uri = new URL(database.uri)
  uri.pathname = `/limits_${randomBytes(6).toString('hex')}`
  const services = await startSharedLimits({ MONGODB_URI: uri.href, RATE_LIMIT_STORE: 'mongodb' })
  expect(await services.count()).toEqual({ 200: 50, 429: 150 })
  const connection = await mongoose.createConnection(uri.href).asPromise()
  const [count] = await connection.collection('rate_limits').find().toArray()
  expect(count).toMatchObject({ hits: 200 })
  await connection.dropDatabase()
  await connection.close()
  await services.stop()
})
