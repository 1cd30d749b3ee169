import path from 'node:path'
import express from 'express'
import request from 'supertest'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import {
  type ApiConfig,
  createApi,
  createRegistry,
  createRouter,
  createServer,
  defineRoute,
  success,
} from '../../src/index.ts'

const folder = import.meta.dirname
const file = path.basename(import.meta.filename)

function serve(options: Partial<ApiConfig> = {}) {
  const route = defineRoute({
    method: 'get',
    path: '/',
    access: 'public',
    response: z.string(),
    handler: (_req, res) => success(res.set('ETag', '"1"'), 'text'),
  })
  const { app, config } = createApi({
    routes: createRegistry().use('/framework', createRouter([route])),
    environment: 'test',
    database: false,
    auth: false,
    ...options,
  })
  app.use('/static', express.static(folder, { maxAge: '1h' }))
  app.get('/file', (_req, res) => res.sendFile(file, { root: folder, maxAge: '1h' }))
  app.get('/download', (_req, res) => {
    res.download(path.join(folder, file), file, { maxAge: '1h' })
  })
  app.get('/text', (_req, res) => void res.send('text'))
  app.get('/json', (_req, res) => void res.json({}))
  app.get('/ended', (_req, res) => void res.end())
  app.get('/head', (_req, res) => void res.writeHead(200, { 'cache-control': 'private' }).end())
  app.get('/fails', (_req, res) => {
    res.set('Cache-Control', 'public, max-age=60')
    throw new Error('x')
  })
  return createServer(app, { fast: config.server.fast })
}

describe.each([
  ['with', true],
  ['without', false],
])('Cache-Control %s fast paths', (_way, fast) => {
  const cachingOf = async (url: string, headers = {}, options = {}): Promise<unknown> => {
    const server = serve({ server: { fast }, log: { level: 'silent' }, ...options })
    return (await request(server).get(url).set(headers)).headers['cache-control']
  }

  it.each([`/static/${file}`, '/file', '/download'])('of %s is that of Express', async (url) => {
    expect(await cachingOf(url)).toBe('public, max-age=3600')
    expect(await cachingOf(url, { Range: 'bytes=0-1' })).toBe('public, max-age=3600')
  })

  it.each(['/framework', '/text', '/json', '/ended', '/fails', '/nope', '/health/live'])(
    'of %s is no-store',
    async (url) => {
      expect(await cachingOf(url)).toBe('no-store')
    },
  )

  it('of a 304 is no-store', async () => {
    expect(await cachingOf('/framework', { 'If-None-Match': '"1"' })).toBe('no-store')
  })

  it('of writeHead wins', async () => {
    expect(await cachingOf('/head')).toBe('private')
  })

  it('has an option; errors are no-store all the same', async () => {
    const none = { securityHeaders: { cacheControl: false } }
    expect(await cachingOf('/json', {}, none)).toBeUndefined()
    expect(await cachingOf('/nope', {}, none)).toBe('no-store')
    const other = { securityHeaders: { cacheControl: 'private, no-cache' } }
    expect(await cachingOf('/json', {}, other)).toBe('private, no-cache')
  })
})
