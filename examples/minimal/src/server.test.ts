import { readFileSync } from 'node:fs'
import { afterAll, describe, expect, it } from 'vitest'

process.env.PORT = '0'
const { api } = await import('./server.ts')
const { url } = await api.start()

afterAll(() => api.stop())

describe('examples/minimal', () => {
  it('serves its route', async () => {
    const response = await fetch(`${url}/api/hello/world`)
    expect(response.status).toBe(200)
    expect(await response.json()).toEqual({ data: { greeting: 'Hello, world!' } })
  })

  it('has health, the document and problems without being asked', async () => {
    expect((await fetch(url)).status).toBe(200)
    expect(await (await fetch(`${url}/openapi.json`)).json()).toMatchObject({ openapi: '3.1.0' })
    const missing = await fetch(`${url}/nope`)
    expect(missing.status).toBe(404)
    expect(missing.headers.get('content-type')).toBe('application/problem+json; charset=utf-8')
  })

  it('is the code in the README', () => {
    const readme = readFileSync(new URL('../../../README.md', import.meta.url), 'utf8')
    const code = readFileSync(new URL('server.ts', import.meta.url), 'utf8')
    expect(/```ts\n([\s\S]*?)```/.exec(readme)?.[1]).toBe(code)
  })
})
