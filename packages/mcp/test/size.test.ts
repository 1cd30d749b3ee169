import { createApi, createRegistry } from '@create-api/core'
import { expect, it } from 'vitest'
import { z } from 'zod'
import { mcp } from '../src/index.ts'
import { createResource, defineModel } from './library.ts'

// What `api generate resource` writes for five fields.
const article = z.strictObject({
  title: z.string().min(1).max(200),
  body: z.string().min(1).max(10_000),
  status: z.enum(['draft', 'published']).default('draft'),
  tags: z.array(z.string().max(50)).max(20).default([]),
  author: z.email(),
})

it('the definitions of 40 resources have at most 345 kB, each at most 2.3 kB', () => {
  const names = Array.from({ length: 40 }, (_, at) => `/api/things${at + 1}`)
  const shared = defineModel('McpThing', { title: String })
  const registry = names.reduce(
    (routes, name) =>
      routes.use(
        name,
        createResource({
          schema: article,
          model: shared,
          filters: ['title', 'status', 'tags', 'createdAt'],
          sort: ['createdAt', 'title'],
          access: 'public',
        }),
      ),
    createRegistry(),
  )
  const api = createApi({ routes: registry, auth: false, database: false })
  const { tools } = mcp(api, { tools: { read: names, write: names }, anonymous: true })
  expect(tools).toHaveLength(240)
  const sizes = tools.map((tool) => Buffer.byteLength(JSON.stringify(tool)))
  const sum = sizes.reduce((total, size) => total + size, 0)
  expect(sum).toBeLessThan(345_000)
  expect(Math.max(...sizes)).toBeLessThan(2300)
})
