import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import http from 'node:http'
import { type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { pipeline, Readable } from 'node:stream'
import express, { type Express, type RequestHandler } from 'express'
import { afterAll } from 'vitest'
import { createServer } from '../../src/lib/create-server.ts'
import { deferHeaders, installDeferredHeaders } from '../../src/lib/fast/deferred-headers.ts'

const pairs = ['X-First', 'one', 'X-Second', 'two', 'Cache-Control', 'no-store']

/** Defers three headers. */
export const defer: RequestHandler = (_req, res, next) => {
  deferHeaders(res, pairs)
  next()
}

/**
 * Creates an app whose responses can defer headers.
 * @param handler - ends the response
 * @param before - runs before the headers are deferred
 * @returns the app
 */
export function createApp(handler: RequestHandler, ...before: RequestHandler[]): Express {
  const app = express()
  app.disable('x-powered-by')
  installDeferredHeaders(app.response)
  app.use(...before, defer, handler)
  return app
}

const folder = mkdtempSync(path.join(tmpdir(), 'deferred-headers-'))
writeFileSync(path.join(folder, 'file.txt'), 'file')
afterAll(() => rmSync(folder, { recursive: true }))

/** Every way to respond that Express and Node have. */
export const handlers: Record<string, RequestHandler> = {
  'res.json': (_req, res) => void res.json({ long: 'x'.repeat(2000) }),
  'res.send': (_req, res) => void res.send('x'.repeat(2000)),
  'res.end': (_req, res) => void res.end('text'),
  'res.end of a Buffer': (_req, res) => void res.end(Buffer.from('text')),
  'res.end without a body': (_req, res) => void res.status(204).end(),
  'res.sendStatus': (_req, res) => void res.sendStatus(404),
  'res.redirect': (_req, res) => res.redirect('/there'),
  'res.cookie': (_req, res) => void res.cookie('a', 'b').cookie('c', 'd').json({}),
  'res.sendFile': (_req, res) => res.sendFile(path.join(folder, 'file.txt')),
  'res.write': (_req, res) => {
    res.write('a')
    res.end('b')
  },
  'res.writeHead': (_req, res) => void res.writeHead(201).end('text'),
  'res.writeHead with a reason': (_req, res) => void res.writeHead(201, 'Made').end('text'),
  'res.writeHead with headers': (_req, res) =>
    void res.writeHead(201, { 'X-Late': '1' }).end('text'),
  'res.writeHead with a list': (_req, res) => void res.writeHead(201, ['X-Late', '1']).end('text'),
  'res.flushHeaders': (_req, res) => {
    res.flushHeaders()
    res.end('text')
  },
  'a pipe': (_req, res) => void pipeline(Readable.from(['a', 'b']), res, () => {}),
  'setHeader and end': (_req, res) => void res.setHeader('Content-Type', 'text/plain').end('text'),
  'an array in setHeader': (_req, res) =>
    void res.setHeader('Set-Cookie', ['a=1', 'b=2']).end('text'),
  appendHeader: (_req, res) => void res.appendHeader('Vary', 'Origin').end('text'),
  setHeaders: (_req, res) => void res.setHeaders(new Headers({ 'X-More': '1' })).end('text'),
}

/** Node 26 has removed it. */
export const hasWriteHeader = 'writeHeader' in http.ServerResponse.prototype
if (hasWriteHeader) {
  handlers['res.writeHeader, its old name'] = (_req, res) => {
    Reflect.get(res, 'writeHeader').call(res, 201)
    res.end('text')
  }
}

/**
 * Serves through our server and through a plain one, and mounted in another app.
 * @param app - the app
 * @param check - is called with the URL of each
 */
export async function everyWay(app: Express, check: (url: string) => Promise<void>): Promise<void> {
  const parent = express()
  parent.disable('x-powered-by')
  parent.use(app)
  for (const server of [createServer(app), http.createServer(app), http.createServer(parent)]) {
    await serve(server, check)
  }
}

async function serve(server: http.Server, check: (url: string) => Promise<void>): Promise<void> {
  server.listen(0)
  await once(server, 'listening')
  await check(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
  server.closeAllConnections()
  server.close()
}

/** What is compared of a response. */
export interface ComparedResponse {
  readonly status: number
  readonly text: string
  readonly first: string | null
  readonly second: string | null
}

/**
 * Sends the response of a handler in every way, and where nothing is deferred.
 * @param handler - ends the response
 * @param before - runs before the headers are deferred
 * @returns the responses
 */
export async function respond(
  handler: RequestHandler,
  before: RequestHandler,
): Promise<{ deferred: ComparedResponse[]; plain: ComparedResponse[] }> {
  const [deferred, plain]: [ComparedResponse[], ComparedResponse[]] = [[], []]
  await everyWay(createApp(handler, before), async (url) => void deferred.push(await read(url)))
  const app = express()
  app.disable('x-powered-by')
  app.use(before, defer, handler)
  await serve(http.createServer(app), async (url) => void plain.push(await read(url)))
  return { deferred, plain }
}

async function read(url: string): Promise<ComparedResponse> {
  const response = await fetch(url, { redirect: 'manual' })
  const text = await response.text()
  return {
    status: response.status,
    text: text.replace(/\s+at .*/gs, ''),
    first: response.headers.get('x-first'),
    second: response.headers.get('x-second'),
  }
}
