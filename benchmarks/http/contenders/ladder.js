// One rung of the ladder: the smallest server, and as many parts of the framework as its number says.
import { createServer as createNodeServer } from 'node:http'
import express from 'express'
import { z } from '../zod.js'
import { createPost, findPost, never, origin, postIds, postInput } from '../fixtures.js'
import { loadInternals } from '../internals.js'

const id = postIds[7]
const text = JSON.stringify({ data: findPost(id) })
const json = 'application/json; charset=utf-8'

/** What each rung adds, in the order of a request. */
export const rungs = [
  'node:http, a constant text',
  'an Express app, its prototypes from the start',
  'head and body as one text',
  'request id',
  'log line',
  'requests in flight',
  'security headers',
  'framing',
  'CORS',
  'health and overload',
  'rate limit',
  'dispatcher, a public route',
  'parameters validated',
  'a handler that returns a promise',
  'the record by the serializer',
  'ETag',
  'a POST whose body is not read',
  'its body read and parsed',
  'its body validated, a created record',
  'its body invalid, a problem of three errors',
]

/**
 * Starts a rung.
 * @param options - its index in `rungs`, as the number of extras
 * @returns its port
 */
export async function start({ extra: rung }) {
  const server = rung === 0 ? createNodeServer(sendText) : await createRung(rung)
  await new Promise((resolve) => server.listen(0, resolve))
  return server.address().port
}

function sendText(_req, res) {
  res.writeHead(200, ['Content-Type', json, 'Content-Length', text.length])
  res.end(text)
}

async function createRung(rung) {
  const core = await loadInternals()
  const app = express()
  app.disable('x-powered-by')
  const finish = core.createErrorSender({ logger: { error() {}, warn() {} } })
  if (rung >= 2) core.installFastPaths(app)
  const last = core.createStage((req, res) => {
    if (rung === 1) sendText(req, res)
    else send(core, res)
    return core.ended
  })
  const dispatcher = core.createDispatcher(createEndpoints(core, rung))
  const stages = createStages(core).slice(0, Math.max(0, rung - 2))
  const pipeline = core.composeStages([...stages, rung >= 11 ? dispatcher : last])
  app.use(core.createLayer(pipeline.step, ({ req, res }, reason) => finish(reason, req, res)))
  return core.createServer(app)
}

// In the order of `rungs`, from the request id on.
function createStages(core) {
  const inFlight = core.createInFlight()
  return [
    core.requestId(),
    core.accessLog(),
    inFlight.stage,
    core.securityHeaders({ hsts: 'always' }),
    core.framing(),
    core.cors({ origins: [origin], credentials: true }),
    core.composeStages([core.health(), core.overload({ inFlight, maxConcurrentRequests: 1000 })]),
    core.rateLimit({ limit: never }),
  ]
}

function send({ setKnownHeader, sendText: sendBody }, res) {
  setKnownHeader(res, 'Content-Type', json)
  sendBody(res, text)
}

function createEndpoints(core, rung) {
  const params = z.strictObject({ id: z.string().regex(/^[0-9a-f]{24}$/) })
  const post = core.toOutputSchema(postInput)
  const get = {
    method: 'get',
    path: '/:id',
    access: 'public',
    ...(rung >= 12 && { params }),
    ...(rung >= 14 && { response: post }),
    handler: toHandler(core, rung),
  }
  const create = {
    method: 'post',
    path: '/',
    access: 'public',
    ...(rung >= 17 && { body: rung === 17 ? z.unknown() : postInput, response: post, status: 201 }),
    handler:
      rung >= 18 ? (req, res) => createRecord(core, req, res) : (_req, res) => send(core, res),
  }
  const routes = core.createRouter([get, create].map((route) => core.defineRoute(route)))
  return core.compileMounts([{ prefix: '/api/posts', router: routes }], { strict: false })
}

function toHandler(core, rung) {
  if (rung < 13) return (_req, res) => send(core, res)
  if (rung === 13) return async (_req, res) => send(core, res)
  return async (req, res) => {
    const found = { _id: id, ...findPost(req.valid.params.id), __v: 0 }
    core.success(rung >= 15 ? core.setEtag(res, found) : res, found)
  }
}

async function createRecord(core, req, res) {
  const made = createPost(req.valid.body)
  const stored = { _id: made.id, ...made, __v: 0 }
  core.success(core.setEtag(core.setCreated(res, stored), stored), made)
}
