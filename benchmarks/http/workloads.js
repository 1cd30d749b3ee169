// The eight requests, and what a right answer to each is.
import { isDeepStrictEqual } from 'node:util'
import { findPost, findPosts, origin, postIds, user } from './fixtures.js'

const id = postIds[7]
const json = { 'Content-Type': 'application/json' }
/** A body that is valid. */
export const valid = {
  title: 'A post that is created again and again',
  body: 'Quick brown foxes jump over lazy dogs. '.repeat(6),
  tags: ['benchmark', 'http', 'json'],
  views: 42,
  published: true,
}
const invalid = { ...valid, title: '', views: -1, published: 'yes' }

export const workloads = [
  { id: 'W1', name: 'health', path: '/', status: [200], check: () => true },
  { id: 'W2', name: 'one record', path: `/api/posts/${id}`, status: [200], check: isPost },
  {
    id: 'W3',
    name: 'page of 20',
    path: '/api/posts?page=1&limit=20',
    status: [200],
    check: ({ data, meta }) => isDeepStrictEqual({ data, meta }, findPosts({ page: 1, limit: 20 })),
  },
  {
    id: 'W4',
    name: 'create, JWT',
    method: 'POST',
    path: '/api/posts',
    headers: json,
    body: valid,
    token: true,
    status: [201],
    check: ({ data }) => includes(data, valid) && typeof data.id === 'string',
  },
  {
    id: 'W5',
    name: 'me, JWT',
    path: '/api/v1/auth/me',
    token: true,
    status: [200],
    check: ({ data }) =>
      data.email === user.email && Array.isArray(data.roles) && 'createdAt' in data,
  },
  {
    id: 'W6',
    name: 'unknown path',
    path: '/nope/none',
    status: [404],
    check: (body) => typeof body === 'object',
  },
  {
    id: 'W7',
    name: 'invalid body, JWT',
    method: 'POST',
    path: '/api/posts',
    headers: json,
    body: invalid,
    token: true,
    status: [400, 422],
    check: (body) => (body.errors ?? body.error?.errors)?.length === 3,
  },
  {
    id: 'W8',
    name: 'last of 200 routes',
    path: `/api/res39/${id}`,
    extra: 40,
    status: [200],
    check: isPost,
  },
]

function isPost({ data }) {
  return isDeepStrictEqual(data, findPost(id))
}

function includes(actual, expected) {
  return Object.entries(expected).every(([name, value]) => isDeepStrictEqual(actual[name], value))
}

/** The request of a workload, as it goes over the wire. */
export function toRequest(workload, token) {
  const body = workload.body && JSON.stringify(workload.body)
  const headers = {
    Host: 'localhost',
    Accept: 'application/json',
    Origin: origin,
    ...workload.headers,
    ...(workload.token && { Authorization: `Bearer ${token}` }),
    ...(body && { 'Content-Length': Buffer.byteLength(body) }),
  }
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  return `${workload.method ?? 'GET'} ${workload.path} HTTP/1.1\r\n${lines.join('')}\r\n${body ?? ''}`
}

const everyAnswer = [
  'x-request-id',
  'x-content-type-options',
  'x-frame-options',
  'access-control-allow-origin',
]

/**
 * Asks once and checks status, headers and body.
 * @returns what is wrong, or nothing
 */
export async function verify(workload, { port, token: tokens, contender }) {
  // The last of many: it is not the one that registration gave.
  const token = [tokens].flat().at(-1)
  const response = await fetch(`http://localhost:${port}${workload.path}`, {
    method: workload.method ?? 'GET',
    headers: {
      Origin: origin,
      ...workload.headers,
      ...(workload.token && { Authorization: `Bearer ${token}` }),
    },
    body: workload.body && JSON.stringify(workload.body),
  })
  const text = await response.text()
  if (!workload.status.includes(response.status)) return `status ${response.status}: ${text}`
  const body = response.status === 204 ? {} : parse(text)
  if (!body || !workload.check(body)) return `unexpected body: ${text.slice(0, 500)}`
  if (contender.bare) return undefined
  if (workload.token && !(await refusesOthers(workload, port))) return 'takes a forged token'
  const missing = findMissing(response.headers, workload, contender)
  return missing.length > 0 ? `headers are missing: ${missing.join(', ')}` : undefined
}

function parse(text) {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

async function refusesOthers(workload, port) {
  const forged = 'eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiJhIn0.AAAA'
  const { status } = await fetch(`http://localhost:${port}${workload.path}`, {
    method: workload.method ?? 'GET',
    headers: { ...workload.headers, Authorization: `Bearer ${forged}` },
    body: workload.body && JSON.stringify(workload.body),
  })
  return status === 401
}

function findMissing(headers, workload, contender) {
  // The app around a mounted one answers itself, without the headers of the pipeline.
  if (workload.id === 'W6' && contender.passes404) return []
  const missing = everyAnswer.filter((name) => !headers.has(name))
  const isLimited = [...headers.keys()].some((name) => /ratelimit/.test(name))
  // Health stands before the limit where a framework has a place for it.
  const isExempt = workload.id === 'W1' || (workload.id === 'W6' && contender.unlimited404)
  return isLimited || isExempt ? missing : [...missing, 'ratelimit']
}
