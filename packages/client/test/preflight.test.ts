import { readdirSync, readFileSync } from 'node:fs'
import { cors } from '@create-api/core/pipeline'
import express from 'express'
import request from 'supertest'
import { expect, it } from 'vitest'

const sources = new URL('../src/lib/', import.meta.url)

// The header fields that the client sets, by their names in its source.
function listSentHeaders(): Set<string> {
  const texts = readdirSync(sources)
    .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
    .map((name) => readFileSync(new URL(name, sources), 'utf8'))
  const names = texts.flatMap((text) =>
    Array.from(text.matchAll(/'([a-z]+(?:-[a-z]+)+)': /g), ([, name = '']) => name),
  )
  return new Set(names)
}

it('lets browsers send every header field of the client, by default', async () => {
  const app = express().use(cors({ origins: ['https://app.example.com'] }))
  const response = await request(app)
    .options('/')
    .set('Origin', 'https://app.example.com')
    .set('Access-Control-Request-Method', 'POST')
    .expect(204)
  const allowed = response.get('Access-Control-Allow-Headers')?.toLowerCase().split(',')
  const sent = listSentHeaders()
  expect(sent.size).toBeGreaterThan(4)
  expect([...sent].filter((name) => !allowed?.includes(name))).toEqual([])
})
