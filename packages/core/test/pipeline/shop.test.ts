import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { startEmbeddedMongo } from '@create-api/embedded-mongo'
import mongoose from 'mongoose'
import request from 'supertest'
import { describe, expect, it } from 'vitest'
import { createShop } from './examples/shop.ts'

describe('the stages in docs/pipeline.md', () => {
  it('are the file that these tests run', async () => {
    const example = path.join(import.meta.dirname, 'examples/shop.ts')
    const document = path.join(import.meta.dirname, '../../../../docs/pipeline.md')
    expect(await readFile(document, 'utf8')).toContain(
      `\`\`\`ts\n${await readFile(example, 'utf8')}\`\`\``,
    )
  })

  it('count the requests of two processes together', async () => {
    const database = await startEmbeddedMongo({ storage: { memory: true } })
    const connection = await mongoose.createConnection(database.uri).asPromise()
    const limits = { limit: 2, window: '1d', storeTimeoutMs: 20_000 }
    const [one, other] = [createShop(connection, limits), createShop(connection, limits)]
    await request(one).post('/orders').send({ item: 'x' }).expect(201, { item: 'x' })
    await request(other).post('/orders').type('text').send('x').expect(415)
    const refused = await request(one).post('/orders').send({ item: 'x' }).expect(429)
    expect(refused.headers['x-request-id']).toBe(refused.body.requestId)
    await connection.close()
    await database.stop()
  })
})
