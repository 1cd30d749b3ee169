// What every contender serves: the same posts, the same user, the same schema, the same limits.
import { createHash } from 'node:crypto'
import * as zod from './zod.js'

/** The origin that CORS allows; each request carries it. */
export const origin = 'https://app.example.com'
/** 32 bytes; a benchmark has nothing to hide. */
export const secret = createHash('sha256').update('benchmark').digest('base64')
/** A limit that counts every request and never refuses one. */
export const never = 1_000_000_000

export const user = {
  id: 'a'.repeat(24),
  email: 'ada@example.com',
  roles: [],
  permissions: [],
  emailVerified: true,
  createdAt: '2026-01-01T00:00:00.000Z',
}

/** The schemas of requests, also for a contender that needs another release of Zod. */
export function createSchemas({ z }) {
  return {
    postInput: z.strictObject({
      title: z.string().trim().min(1).max(200),
      body: z.string().min(1).max(100_000),
      tags: z.array(z.string().min(1).max(30)).max(10),
      views: z.int().min(0),
      published: z.boolean(),
    }),
    postId: z.string().regex(/^[0-9a-f]{24}$/),
    pageQuery: z.strictObject({
      page: z.coerce.number().int().min(1).default(1),
      limit: z.coerce.number().int().min(1).max(100).default(20),
    }),
  }
}

export const { postInput, postId, pageQuery } = createSchemas(zod)

const createdAt = '2026-01-01T00:00:00.000Z'
const posts = new Map()
for (let index = 0; index < 100; index++) keep(toPost(index))

function toPost(index) {
  return {
    title: `Post number ${index}`,
    body: 'Quick brown foxes jump over lazy dogs. '.repeat(2),
    tags: ['benchmark', 'http'],
    views: index,
    published: true,
  }
}

// Records as a lean read of the database would give them, without the database.
function keep(input) {
  const id = (posts.size + 1).toString(16).padStart(24, '0')
  const post = { id, ...input, createdAt, updatedAt: createdAt }
  posts.set(id, post)
  return post
}

export const postIds = [...posts.keys()]

export function findPost(id) {
  return posts.get(id)
}

export function findPosts({ page, limit }) {
  const first = (page - 1) * limit
  const data = []
  for (let index = first; index < first + limit; index++) {
    const post = posts.get(postIds[index])
    if (post) data.push(post)
  }
  const total = postIds.length
  return { data, meta: { page, limit, total, pages: Math.ceil(total / limit) } }
}

let created = 0

/** Makes a post of valid input; a thousand of them are kept, so that memory stays level. */
export function createPost(input) {
  const id = (0x1000 + (created++ % 1000)).toString(16).padStart(24, '0')
  const post = { id, ...input, createdAt, updatedAt: createdAt }
  posts.set(id, post)
  return post
}

/** Names of the extra resources, five routes each: the last route is the last of 5 × count. */
export function extraResources(count) {
  return Array.from({ length: count }, (_, index) => `res${index}`)
}

/** The faults of a body as every contender reports them: one item for each. */
export function toFaults(issues) {
  return issues.map((issue) => ({ path: issue.path.join('.'), message: issue.message }))
}
