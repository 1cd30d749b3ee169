import { once } from 'node:events'
import http from 'node:http'
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { call } from './client.ts'
import { killServices, type ServiceProcess, startService } from './service-process.ts'

const headers = { 'Content-Type': 'application/json' }
const zeros = Buffer.alloc(100_000_000)
const bombs = [
  ['gzip', gzipSync(zeros)],
  ['deflate', deflateSync(zeros)],
  ['br', brotliCompressSync(zeros)],
] as const
let service: ServiceProcess

beforeAll(async () => {
  service = await startService()
})
afterAll(async () => {
  service.child.kill('SIGTERM')
  await service.exit
  killServices()
})

async function memory(): Promise<number> {
  return Number((await call(`${service.url}/api/trouble/pid`)).data?.['rss'])
}

async function post(encoding: string, body: Buffer): Promise<number> {
  const request = http.request(`${service.url}/api/notes`, {
    method: 'POST',
    headers: { ...headers, 'Content-Encoding': encoding },
  })
  request.end(body)
  const [response] = await once(request, 'response')
  response.resume()
  return response.statusCode
}

// Sends for as long as somebody takes it.
async function postForEver(): Promise<{ status: number; sent: number }> {
  const request = http.request(`${service.url}/api/notes`, { method: 'POST', headers })
  const pending = once(request, 'response')
  request.on('error', () => {})
  const chunk = Buffer.alloc(65_536, 'x')
  const closed = once(request, 'close')
  let sent = 0
  while (!request.destroyed && sent < 1_000_000_000) {
    sent += chunk.length
    if (!request.write(chunk)) await Promise.race([once(request, 'drain'), closed])
  }
  const [response] = await pending
  response.resume()
  return { status: response.statusCode, sent }
}

describe('bodies that are far too large', () => {
  it('HTTP-03 are rejected while they arrive or inflate, without using memory', async () => {
    // The first of each kind loads what it needs.
    for (const [encoding, body] of bombs) expect(await post(encoding, body)).toBe(413)
    const before = await memory()
    for (const [encoding, body] of bombs) expect(await post(encoding, body)).toBe(413)
    const { status, sent } = await postForEver()
    expect(status).toBe(413)
    expect(sent).toBeLessThan(1_000_000_000)
    // One inflated body would take 100 MB; what the collector has not freed yet takes a part of this.
    expect((await memory()) - before).toBeLessThan(60_000_000)
  })
})
