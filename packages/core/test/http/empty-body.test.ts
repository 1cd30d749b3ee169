import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { createApi, createRegistry, createRouter, defineRoute, success } from '../../src/index.ts'
import { exchange } from './raw-http.ts'

const required = z.strictObject({ title: z.string() })

const routes = createRegistry()
routes.use(
  '/items',
  createRouter([
    defineRoute({
      method: 'post',
      path: '/',
      access: 'public',
      body: required,
      response: z.string(),
      handler: (_req, res) => success(res, 'created'),
    }),
    defineRoute({
      method: 'patch',
      path: '/',
      access: 'public',
      body: required.partial(),
      response: z.string(),
      handler: (_req, res) => success(res, 'changed'),
    }),
    defineRoute({
      method: 'put',
      path: '/',
      access: 'public',
      body: required.optional(),
      response: z.unknown(),
      handler: (req, res) => success(res, req.valid.body ?? 'nothing'),
    }),
    defineRoute({
      method: 'get',
      path: '/',
      access: 'public',
      response: z.string(),
      handler: (_req, res) => success(res, 'read'),
    }),
    defineRoute({
      method: 'delete',
      path: '/',
      access: 'public',
      response: z.string(),
      handler: (_req, res) => success(res, 'removed'),
    }),
  ]),
)

const api = createApi({ name: 'empty', routes, database: false, auth: false })
let port = 0

beforeAll(async () => {
  const { url } = await api.start({ port: 0, signals: false })
  port = Number(new URL(url).port)
})

afterAll(() => api.stop())

const json = 'Content-Type: application/json\r\n'
const empty = gzipSync('')

async function send(method: string, headers: string, body: string | Buffer = '') {
  const head = `${method} /items HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${headers}\r\n`
  const { statuses, bodies } = await exchange(
    port,
    Buffer.concat([Buffer.from(head), Buffer.from(body)]),
  )
  const { code, data } = JSON.parse(bodies[0] ?? '')
  return [statuses[0], code ?? data]
}

const emptyBodies: [string, string, (string | Buffer)?][] = [
  ['of length 0', `${json}Content-Length: 0\r\n`],
  ['without a length', json],
  ['in no chunks', `${json}Transfer-Encoding: chunked\r\n`, '0\r\n\r\n'],
  ['compressed', `${json}Content-Encoding: gzip\r\nContent-Length: ${empty.byteLength}\r\n`, empty],
]

describe('an empty body with Content-Type: application/json', () => {
  it.each(emptyBodies)('%s is malformed where one is required', async (_, headers, body) => {
    expect(await send('POST', headers, body)).toEqual([400, 'malformed_json'])
    expect(await send('PATCH', headers, body)).toEqual([400, 'malformed_json'])
  })

  it.each(emptyBodies)('%s counts as no body where one is optional', async (_, headers, body) => {
    expect(await send('PUT', headers, body)).toEqual([200, 'nothing'])
  })

  it.each(emptyBodies)('%s is ignored where none is read', async (_, headers, body) => {
    expect(await send('GET', headers, body)).toEqual([200, 'read'])
    expect(await send('DELETE', headers, body)).toEqual([200, 'removed'])
  })

  it.each(['POST', 'PUT'])('%s of only white space is malformed', async (method) => {
    const headers = `${json}Content-Length: 3\r\n`
    expect(await send(method, headers, ' \r\n')).toEqual([400, 'malformed_json'])
  })
})

it('a request without a body and without its type lacks the body', async () => {
  expect(await send('POST', 'Content-Length: 0\r\n')).toEqual([422, 'validation_failed'])
  expect(await send('POST', '')).toEqual([422, 'validation_failed'])
})

it('the document says whether a body is required', () => {
  const { requestBodies } = Object(api.openapi?.components)
  const { patch, post, put } = Object(api.openapi?.paths['/items'])
  const bodies = [post, patch, put].map(
    ({ requestBody }) => requestBodies[requestBody.$ref.split('/').at(-1)],
  )
  expect(bodies.map((body) => body.required)).toEqual([true, true, false])
})
