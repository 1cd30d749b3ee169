import { readFile } from 'node:fs/promises'
import path from 'node:path'
import express, { type Express } from 'express'
import request from 'supertest'
import { describe, expect, it } from 'vitest'
import { createBareApi } from './examples/bare.ts'

const text = await readFile(path.join(import.meta.dirname, '../../../../docs/express.md'), 'utf8')

describe('docs/express.md', () => {
  it.each(['bare.ts'])('shows %s as these tests run it', async (name) => {
    const example = await readFile(path.join(import.meta.dirname, 'examples', name), 'utf8')
    expect(text).toContain(`\`\`\`ts\n${example}\`\`\``)
  })

  it('shows how to get the headers of bare Express', async () => {
    const bare = await headersOf(express())
    const {
      'x-request-id': id,
      'cache-control': caching,
      ...headers
    } = await headersOf(createBareApi().app)
    expect(headers).toEqual(bare)
    expect(id).toMatch(/^[\w-]{36}$/)
    expect(caching).toBe('no-store')
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
