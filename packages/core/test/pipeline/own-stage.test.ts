import { readFile } from 'node:fs/promises'
import path from 'node:path'
import request from 'supertest'
import { describe, expect, it } from 'vitest'
import { createApp } from './examples/maintenance.ts'

describe('the example of docs/pipeline.md', () => {
  it('is the file that these tests run', async () => {
    const example = path.join(import.meta.dirname, 'examples/maintenance.ts')
    const document = path.join(import.meta.dirname, '../../../../docs/pipeline.md')
    expect(await readFile(document, 'utf8')).toContain(
      `\`\`\`ts\n${await readFile(example, 'utf8')}\`\`\``,
    )
  })

  it('ends the response in the stage', async () => {
    const response = await request(createApp(() => true)).get('/version')
    expect(response.status).toBe(200)
    expect(response.body).toEqual({ version: '1.2.3' })
  })

  it('rejects other requests with the error it throws', async () => {
    const response = await request(createApp(() => true)).get('/')
    expect(response.status).toBe(503)
    expect(response.headers['retry-after']).toBe('60')
    expect(response.body).toMatchObject({ status: 503, code: 'overloaded' })
  })

  it('passes requests on when nothing is returned', async () => {
    const response = await request(createApp(() => false)).get('/')
    expect(response.body).toEqual({ ok: true })
  })
})
