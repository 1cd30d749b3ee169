import { randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { createRegistry } from '@create-api/core'
import { startEmbeddedMongo } from '@create-api/embedded-mongo'
import express, { type Express } from 'express'
import mongoose from 'mongoose'
import request from 'supertest'
import { describe, expect, it } from 'vitest'
import { createBareApi } from './examples/bare.ts'
import { createHost } from './examples/mounted.ts'

const text = await readFile(path.join(import.meta.dirname, '../../../../docs/express.md'), 'utf8')

describe('docs/express.md', () => {
  it.each(['bare.ts', 'mounted.ts'])('shows %s as these tests run it', async (name) => {
    const example = await readFile(path.join(import.meta.dirname, 'examples', name), 'utf8')
    expect(text).toContain(`\`\`\`ts\n${example}\`\`\``)
  })

  it('shows how to mount an API in a host', async () => {
    const database = await startEmbeddedMongo({ storage: { memory: true } })
    const host = await createHost(database.uri, createRegistry(), randomBytes(32).toString('hex'))
    await request(host).get('/v2/health/ready').expect(200)
    const body = { email: 'ada@example.org', password: 'correct horse battery staple' }
    await request(host).post('/v2/api/v1/auth/register').send(body).expect(201)
    await request(host).get('/shop').expect(200, { open: true })
    await mongoose.disconnect()
    await database.stop()
  })

  it('shows how to get the headers of bare Express', async () => {
    const bare = await headersOf(express())
    const { 'x-request-id': id, ...headers } = await headersOf(createBareApi().app)
    expect(headers).toEqual(bare)
    expect(id).toMatch(/^[\w-]{36}$/)
  })
})

async function headersOf(app: Express): Promise<Record<string, string>> {
  app.get('/', (_req, res) => {
    res.json({ ok: true })
  })
  const response = await request(app).get('/').expect(200, { ok: true })
  const { date: _date, ...headers } = response.headers
  return headers
}
