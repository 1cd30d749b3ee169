import { once } from 'node:events'
import { type AddressInfo } from 'node:net'
import {
  createApi,
  createRegistry,
  createRouter,
  defineRoute,
  getLogger,
  success,
} from '@create-api/core'
import express from 'express'
import mongoose, { Schema } from 'mongoose'
import { z } from 'zod'
import { createItems } from '../../../packages/core/test/pipeline/items.ts'
import { askAll, createService } from '../../../packages/core/test/compatibility/service.ts'
import { exporter } from './instrumentation.ts'

const log = getLogger()

// A service under the standard instrumentations, which sends itself requests and reports what was traced.
const Note = mongoose.model('TracedNote', new Schema({ title: String }))

const notes = createRouter([
  defineRoute({
    method: 'get',
    path: '/:id',
    access: 'public',
    params: z.object({ id: z.string() }),
    response: z.number(),
    handler: async (req, res) => {
      if (req.valid.params.id === 'broken') throw new Error('bug')
      const count = await Note.countDocuments()
      log.info('counted')
      success(res, count)
    },
  }),
  defineRoute({
    method: 'post',
    path: '/',
    access: 'public',
    body: z.strictObject({ title: z.string() }),
    response: z.string(),
    handler: async (req, res) => {
      await Note.create(req.valid.body)
      log.info('created')
      success(res, req.valid.body.title)
    },
  }),
])

let text = ''
const api = createApi({
  routes: createRegistry().use('/api/notes', notes),
  environment: 'test',
  auth: false,
  server: { host: '127.0.0.1' },
  accessLog: { format: 'json' },
  log: { level: 'info', format: 'json', stream: { write: (part) => void (text += part) } },
})
api.app.get('/own/:name', (_req, res) => {
  res.json({})
})
const { url } = await api.start({ port: 0, signals: false })
const parent = { traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01' }
await fetch(`${url}/api/notes/7`, { headers: parent })
await fetch(`${url}/api/notes`, {
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({ title: 'one' }),
})
await fetch(`${url}/api/notes/broken`)
await fetch(`${url}/api/nothing/7`)
await fetch(`${url}/own/me`)
await fetch(`${url}/health/live`)
await api.stop()

const mounted = createApi({
  routes: createRegistry().use('/api/items', createItems()),
  environment: 'test',
  auth: false,
  database: false,
})
const host = express()
host.use('/shop/:tenant/items', createItems())
host.use('/:tenant/v2', mounted.app)
const server = host.listen(0, '127.0.0.1')
await once(server, 'listening')
// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- it listens on TCP
const { port } = server.address() as AddressInfo
for (const place of ['/shop/acme/items/7', '/acme/v2/api/items/7', '/acme/v2/health/live']) {
  await fetch(`http://127.0.0.1:${port}${place}`)
}
server.close()
await new Promise((resolve) => setTimeout(resolve, 300))

const spans = exporter.getFinishedSpans().map((span) => ({
  name: span.name,
  kind: span.kind,
  traceId: span.spanContext().traceId,
  spanId: span.spanContext().spanId,
  parentSpanId: span.parentSpanContext?.spanId,
  attributes: span.attributes,
}))
const responses = await askAll(createService())
process.stdout.write(JSON.stringify({ spans, responses, lines: text.split('\n').filter(Boolean) }))
