import { type ApiConfig, ApiError, defineAuthenticator } from '@create-api/core'
import { createTestClient, findAccessFaults, type TestClient } from '@create-api/core/testing'
import express from 'express'
import { model } from 'mongoose'
import { describe, expect, it, onTestFinished } from 'vitest'
import { z } from 'zod'
import { mcp, type McpOptions } from '../src/index.ts'
import { connect } from './connect.ts'
import { allTools, createLibrary, largeResponses } from './library.ts'
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
  it('passes the generated tests of access', async () => {
    const api = createLibrary()
    mcp(api, { tools: allTools })
    const client = await createTestClient(api)
    onTestFinished(() => client.stop())
    expect(await findAccessFaults(api, client, { only: '/mcp' })).toEqual([])
  })

  it('MCP-02 names the issuers in the metadata', async () => {
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

  it('MCP-02 needs no credentials with `anonymous`, but none that are invalid', async () => {
    const open = await start({ anonymous: true })
    const { fail, run } = await connect(open.url)
    expect(await run('books_list')).toMatchObject({ data: [] })
    expect(await fail('members_list')).toMatchObject({ status: 401, code: 'unauthenticated' })
    expect((await send(open.url, list, { Authorization: 'Bearer x' })).status).toBe(401)
  })

  it('MCP-05 admits listed origins and hosts', async () => {
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

describe('the client of a call', () => {
  it('MCP-07 is that of the connection, behind trusted proxies', async () => {
    const behind = await start({ anonymous: true }, { trustProxy: 1 })
    const headers = { 'X-Forwarded-For': '198.51.100.9, 203.0.113.7', 'X-Forwarded-Proto': 'https' }
    const { text } = await send(behind.url, callOf('whoami_get', {}), headers)
    const { structuredContent } = JSON.parse(text).result
    expect(structuredContent.data).toMatchObject({ address: '203.0.113.7', encrypted: true })
  })

  it('MCP-07 is not what it claims without trusted proxies', async () => {
    const direct = await start({ anonymous: true }, { trustProxy: false })
    const { run } = await connect(direct.url, { 'X-Forwarded-For': '203.0.113.7' })
    expect(await run('whoami_get')).toMatchObject({
      data: { address: expect.stringMatching('127') },
    })
  })
})

it('knows callers by an authenticator of the application', async () => {
  const authenticator = defineAuthenticator(
    (req) => {
      if (req.headers['x-key'] !== 'secret') throw new ApiError('unauthenticated')
      return { id: 'a'.repeat(24), email: 'ada@example.org', roles: ['admin'] }
    },
    { schemes: ['Bearer'], hasCredentials: (req) => req.headers['x-key'] !== undefined },
  )
  const own = await start({ tools: { read: ['/api/members'] } }, { auth: false, authenticator })
  const { run } = await connect(own.url, { 'X-Key': 'secret' })
  expect(await run('members_list')).toMatchObject({ data: [] })
  expect((await send(own.url, list)).status).toBe(401)
  expect((await send(own.url, list, { 'X-Key': 'guess' })).status).toBe(401)
})

it('works below the path of another app', async () => {
  const api = createLibrary()
  mcp(api, { tools: allTools })
  const service = await createTestClient(api)
  onTestFinished(() => service.stop())
  const host = express().use('/v1', api.app).listen(0)
  onTestFinished(() => void host.close())
  const { port } = z.object({ port: z.int() }).parse(host.address())
  const url = `http://localhost:${port}`
  const { headers: fields, status } = await send(url, list, {}, 'POST', '/v1/mcp')
  expect(status).toBe(401)
  const address = `${url}/v1/.well-known/oauth-protected-resource/mcp`
  expect(fields['www-authenticate']).toContain(`resource_metadata="${address}"`)
  const metadata = await fetch(address)
  expect(await metadata.json()).toMatchObject({ resource: `${url}/v1/mcp` })
  const { headers } = await service.signUp()
  const { text } = await send(url, callOf('auth_me_get', {}), headers, 'POST', '/v1/mcp')
  expect(text).toContain('@example.org')
})

describe('MCP-07 limits', () => {
  it('count a call once, for the client of the connection', async () => {
    const limited = await start({ anonymous: true }, { rateLimit: { limit: 6 } })
    const call = callOf('whoami_get', {})
    for (let count = 0; count < 6; count++) {
      const { headers, text } = await send(limited.url, call)
      expect(text).toContain('requestId')
      expect(headers['ratelimit']).toContain(`r=${5 - count};`)
    }
    expect((await send(limited.url, call)).status).toBe(429)
    await limited.request.get('/api/whoami').expect(429)
  })

  it('count calls where the endpoint is not counted', async () => {
    const skip = (req: { readonly path: string }): boolean => req.path === '/mcp'
    const limited = await start({ anonymous: true }, { rateLimit: { limit: 2, skip } })
    const call = callOf('whoami_get', {})
    await send(limited.url, call)
    await send(limited.url, call)
    const { result } = JSON.parse((await send(limited.url, call)).text)
    expect(result.isError).toBe(true)
    expect(JSON.parse(result.content[0].text)).toMatchObject({ code: 'rate_limited' })
    expect(result.content[1].text).toMatch(/^Retry-After: \d+ seconds$/)
  })

  it('count each further page of a list', async () => {
    const limited = await start({ maxItems: 300 }, { rateLimit: { limit: 20 } })
    const { headers } = await limited.signUp({ roles: ['admin'] })
    const books = Array.from({ length: 250 }, (_, at) => ({
      title: 'Page',
      isbn: String(9_790_000_000_000 + at),
      copies: 1,
    }))
    await model('McpBook').insertMany(books)
    const remaining = async (message: object): Promise<number> => {
      const { headers: fields } = await send(limited.url, message, headers)
      return Number(/r=(\d+)/.exec(String(fields['ratelimit']))?.[1])
    }
    const before = await remaining(list)
    await remaining(callOf('books_list', { limit: 250 }))
    // The call, its second and third page, and this request.
    expect(await remaining(list)).toBe(before - 4)
  })

  it('close the connection of a result that is too large', async () => {
    const small = await start({ tools: { read: ['GET /api/large'] }, anonymous: true })
    const { fail } = await connect(small.url)
    largeResponses.length = 0
    expect(await fail('large_get')).toMatchObject({ code: 'result_too_large' })
    await expect.poll(() => largeResponses).toHaveLength(1)
  })

  it('close the connection of a call that the client has left', async () => {
    const small = await start({ tools: { read: ['GET /api/large'] }, anonymous: true })
    const { client } = await connect(small.url)
    largeResponses.length = 0
    const leaving = { signal: AbortSignal.timeout(50) }
    await expect(client.callTool({ name: 'large_get' }, undefined, leaving)).rejects.toThrow(
      'aborted',
    )
    await client.close()
    await expect.poll(() => largeResponses).toEqual([false])
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
