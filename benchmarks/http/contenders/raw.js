// node:http by hand: without features the floor, with them the practical limit.
import { createHmac, randomUUID, timingSafeEqual } from 'node:crypto'
import { createServer } from 'node:http'
import helmet from 'helmet'
import {
  createPost,
  extraResources,
  findPost,
  findPosts,
  never,
  origin,
  pageQuery,
  postId,
  postInput,
  secret,
  toFaults,
  user,
} from '../fixtures.js'

export async function start({ features, extra }) {
  const respond = features ? createRespond() : respondBare
  const routes = new Map([
    ['GET /api/posts', listPosts],
    ['POST /api/posts', features ? guard(addPost) : addAnything],
    ['GET /api/v1/auth/me', features ? guard(me) : me],
    ['GET /', health],
  ])
  const prefixes = new Map(
    ['posts', ...extraResources(extra)].map((name) => [`/api/${name}`, getPost]),
  )
  const server = createServer((req, res) => {
    const { url } = req
    const mark = url.indexOf('?')
    const path = mark === -1 ? url : url.slice(0, mark)
    const call = { req, res, query: mark === -1 ? '' : url.slice(mark + 1), param: '', respond }
    if (features && !prepare(call)) return
    const literal = routes.get(`${req.method} ${path}`)
    if (literal) {
      literal(call)
      return
    }
    const slash = path.lastIndexOf('/')
    const handler = req.method === 'GET' ? prefixes.get(path.slice(0, slash)) : undefined
    if (!handler) {
      respond(call, 404, failure('not_found'))
      return
    }
    call.param = path.slice(slash + 1)
    handler(call)
  })
  await new Promise((resolve) => server.listen(0, resolve))
  return server.address().port
}

function failure(code, errors) {
  return JSON.stringify({ error: { code, errors } })
}

function respondBare({ res }, status, body) {
  res.writeHead(status, [
    'Content-Type',
    'application/json; charset=utf-8',
    'Content-Length',
    Buffer.byteLength(body),
  ])
  res.end(body)
}

// The same headers that helmet and cors set, written out once.
function createRespond() {
  const recorded = []
  helmet()({}, { setHeader: (...pair) => recorded.push(...pair), removeHeader() {} }, () => {})
  const allowed = [
    'Access-Control-Allow-Origin',
    origin,
    'Access-Control-Allow-Credentials',
    'true',
  ]
  const lines = createLog()
  return (call, status, body) => {
    const { req, res } = call
    const bytes = Buffer.byteLength(body)
    const cors = req.headers.origin === origin ? allowed : []
    res.writeHead(status, [
      ...recorded,
      ...cors,
      'Vary',
      'Origin',
      'X-Request-Id',
      call.id,
      'RateLimit-Policy',
      `${never};w=60`,
      'RateLimit',
      `limit=${never}, remaining=${never - call.hits.count}, reset=${call.reset}`,
      'Content-Type',
      'application/json; charset=utf-8',
      'Content-Length',
      bytes,
    ])
    res.end(body)
    const { 'user-agent': agent = '-', referer = '-' } = req.headers
    lines.add(
      `${call.address} - - [${new Date().toISOString()}] "${req.method} ${req.url} HTTP/${req.httpVersion}" ${status} ${bytes} "${referer}" "${agent}" ${call.id}\n`,
    )
  }
}

function createLog() {
  let text = ''
  const flush = () => {
    if (text !== '') process.stdout.write(text)
    text = ''
  }
  setInterval(flush, 200).unref()
  return {
    add(line) {
      text += line
      if (text.length > 16_384) flush()
    },
  }
}

const clients = new Map()

// Request id and rate limit.
function prepare(call) {
  const { req, res } = call
  const now = Date.now()
  call.id = randomUUID()
  call.address = req.socket.remoteAddress
  let hits = clients.get(call.address)
  if (!hits || hits.resetAt <= now) {
    hits = { count: 0, resetAt: now + 60_000 }
    clients.set(call.address, hits)
  }
  hits.count++
  call.hits = hits
  call.reset = Math.ceil((hits.resetAt - now) / 1000)
  if (hits.count <= never) return true
  res.writeHead(429).end()
  return false
}

function guard(next) {
  return (call) => {
    const claims = verifyToken(call.req.headers.authorization)
    if (claims) next(call)
    else call.respond(call, 401, failure('unauthorized'))
  }
}

function verifyToken(header) {
  if (!header?.startsWith('Bearer ')) return undefined
  const token = header.slice(7)
  const [head, payload, signature] = token.split('.')
  const expected = createHmac('sha256', secret).update(`${head}.${payload}`).digest()
  const given = Buffer.from(signature ?? '', 'base64url')
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) return undefined
  if (JSON.parse(Buffer.from(head, 'base64url').toString()).alg !== 'HS256') return undefined
  const claims = JSON.parse(Buffer.from(payload, 'base64url').toString())
  return claims.exp * 1000 > Date.now() ? claims : undefined
}

function health(call) {
  call.respond(call, 200, JSON.stringify({ status: 'pass', uptime: process.uptime() }))
}

function getPost(call) {
  const post = postId.safeParse(call.param).success ? findPost(call.param) : undefined
  if (post) call.respond(call, 200, `{"data":${JSON.stringify(post)}}`)
  else call.respond(call, 404, failure('not_found'))
}

function listPosts(call) {
  const query = pageQuery.safeParse(Object.fromEntries(new URLSearchParams(call.query)))
  if (query.success) call.respond(call, 200, JSON.stringify(findPosts(query.data)))
  else call.respond(call, 400, failure('invalid_query', toFaults(query.error.issues)))
}

function me(call) {
  call.respond(call, 200, `{"data":${JSON.stringify(user)}}`)
}

function addPost(call) {
  readBody(call, (text) => {
    let body
    try {
      body = JSON.parse(text)
    } catch {
      call.respond(call, 400, failure('malformed_json'))
      return
    }
    const input = postInput.safeParse(body)
    if (input.success) call.respond(call, 201, `{"data":${JSON.stringify(createPost(input.data))}}`)
    else call.respond(call, 422, failure('validation_failed', toFaults(input.error.issues)))
  })
}

// Looks at one field, so that the right status comes out.
function addAnything(call) {
  readBody(call, (text) => {
    const body = JSON.parse(text)
    if (body.title !== '') call.respond(call, 201, `{"data":${JSON.stringify(createPost(body))}}`)
    else call.respond(call, 422, failure('validation_failed', [0, 0, 0]))
  })
}

function readBody(call, done) {
  const chunks = []
  let size = 0
  call.req.on('data', (chunk) => {
    size += chunk.length
    if (size <= 102_400) chunks.push(chunk)
  })
  call.req.on('end', () => {
    if (size > 102_400) call.respond(call, 413, failure('too_large'))
    else done((chunks.length === 1 ? chunks[0] : Buffer.concat(chunks)).toString())
  })
}
