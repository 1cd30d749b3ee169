import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createApi, createRegistry } from '../../src/index.ts'
import { createTestClient, type TestClient } from '../../src/testing.ts'

let client: TestClient

beforeAll(async () => {
  client = await createTestClient(createApi({ name: 'documented', routes: createRegistry() }))
})

afterAll(() => client.stop())

describe('/docs', () => {
  it('serves a page whose files all come from the service, with its own policy', async () => {
    const { text, headers } = await client.request.get('/docs').expect(200)
    expect(headers['content-type']).toBe('text/html; charset=utf-8')
    const policy = String(headers['content-security-policy'])
    expect(policy).toContain("script-src 'self'")
    expect(policy).toContain("default-src 'none'")
    expect(policy).not.toContain('unsafe')
    expect(policy).not.toContain('sandbox')
    const files = [...text.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, file = '']) => file)
    const own = files.filter((file) => !file.startsWith('#'))
    expect(own).toEqual(['docs/icon.svg', 'docs/style.css', 'docs/page.js', 'openapi.json'])
    for (const file of own) await client.request.get(`/${file}`).expect(200)
    expect(text).not.toMatch(/https?:|style=|<script>/)
  })

  it('serves every imported script', async () => {
    const seen = new Set(['page.js'])
    for (const name of seen) {
      const { text, headers } = await client.request.get(`/docs/${name}`).expect(200)
      expect(headers['content-type']).toBe('text/javascript; charset=utf-8')
      for (const [, other = ''] of text.matchAll(/from '\.\/(.+?)'/g)) seen.add(other)
    }
    expect(seen.size).toBeGreaterThan(1)
  })

  it('leads from /docs/ to /docs, where the files are found', async () => {
    const { headers } = await client.request.get('/docs/').expect(308)
    expect(headers['location']).toBe('/docs')
  })

  it('is not there without the document', async () => {
    const api = createApi({
      name: 'silent',
      routes: createRegistry(),
      openapi: false,
      database: false,
      auth: false,
    })
    expect(api.routes.map(({ path }) => path)).not.toContain('/docs')
  })
})
