import { type ApiConfig } from '@create-api/core'
import { createTestClient, type TestClient } from '@create-api/core/testing'
import { describe, expect, it, onTestFinished } from 'vitest'
import { mcp, type McpOptions } from '../src/index.ts'
import { connect } from './connect.ts'
import { allTools, createLibrary } from './library.ts'
import { callOf, list, send } from './send.ts'

interface One {
  readonly data: { readonly id: string }
}

// One service at a time: all of them use the default connection of Mongoose.
async function start(
  options: Partial<McpOptions>,
  config: Partial<ApiConfig> = {},
): Promise<TestClient> {
  const api = createLibrary(config)
  mcp(api, { tools: allTools, ...options })
  const started = await createTestClient(api)
  onTestFinished(() => started.stop())
  return started
}

describe('an endpoint', () => {
  it('names the issuers in the metadata', async () => {
    const issuers = ['https://login.example.com']
    const url = 'https://api.example.com/mcp'
    const other = await start({ authorizationServers: issuers, url })
    const { body } = await other.request.get('/.well-known/oauth-protected-resource/mcp')
    expect(body).toMatchObject({ resource: url, authorization_servers: issuers })
    const { headers } = await send(other.url, list, {})
    expect(headers['www-authenticate']).toContain(
      'resource_metadata="https://api.example.com/.well-known/oauth-protected-resource/mcp"',
    )
  })

  it('needs no credentials with `anonymous`, but none that are invalid', async () => {
    const open = await start({ anonymous: true })
    const { fail, run } = await connect(open.url)
    expect(await run('books_list')).toMatchObject({ data: [] })
    expect(await fail('members_list')).toMatchObject({ status: 401, code: 'unauthenticated' })
    expect((await send(open.url, list, { Authorization: 'Bearer x' })).status).toBe(401)
  })

  it('admits listed origins and hosts', async () => {
    const other = await start({
      url: 'https://api.example.com/mcp',
      hosts: ['backend'],
      origins: ['https://app.example.com'],
    })
    const statusOf = async (headers: Record<string, string>): Promise<number> =>
      (await send(other.url, list, headers)).status
    // 401: what comes after the checks of host and origin.
    expect(await statusOf({ Host: 'api.example.com' })).toBe(401)
    expect(await statusOf({ Host: 'backend:3000' })).toBe(401)
    expect(await statusOf({ Host: 'other.example.com' })).toBe(403)
    expect(await statusOf({ Origin: 'https://app.example.com' })).toBe(401)
    expect(await statusOf({ Origin: 'https://api.example.com' })).toBe(401)
    expect(await statusOf({ Origin: 'https://other.example.com' })).toBe(403)
  })
})

describe('limits', () => {
  it('count the requests of tools for the client of the connection', async () => {
    const limited = await start({ anonymous: true }, { rateLimit: { limit: 12 } })
    const call = callOf('whoami_get', {})
    const results: string[] = []
    for (let count = 0; count < 6; count++) {
      results.push((await send(limited.url, call)).text)
    }
    expect(results.every((text) => text.includes('requestId'))).toBe(true)
    // Two requests for each call.
    expect((await send(limited.url, call)).status).toBe(429)
    await limited.request.get('/api/whoami').expect(429)
  })

  it('reject a tool that reaches them inside of a call', async () => {
    const limited = await start({ anonymous: true }, { rateLimit: { limit: 5 } })
    const call = callOf('whoami_get', {})
    await send(limited.url, call)
    await send(limited.url, call)
    const { text } = await send(limited.url, call)
    const { result } = JSON.parse(text)
    expect(result.isError).toBe(true)
    expect(JSON.parse(result.content[0].text)).toMatchObject({ code: 'rate_limited' })
    expect(result.content[1].text).toMatch(/^Retry-After: \d+ seconds$/)
  })

  it('of a result are those of `maxBytes`', async () => {
    const small = await start({ maxBytes: 1000 })
    const { headers } = await small.signUp()
    const { fail, run } = await connect(small.url, headers)
    const { data } = await run<One>('notes_create', { body: { text: 'x'.repeat(2000) } })
    expect(await fail('notes_get', { id: data.id })).toMatchObject({ code: 'result_too_large' })
    expect(await fail('notes_list')).toMatchObject({ code: 'result_too_large' })
  })
})
