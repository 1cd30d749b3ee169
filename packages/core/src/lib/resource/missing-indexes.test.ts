import { model, Schema } from 'mongoose'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { createApi } from '../create-api.ts'
import { createRouter } from '../routing/create-router.ts'
import { defineRoute } from '../route/define-route.ts'
import { createRegistry } from '../routing/registry.ts'
import { defineListQuery } from './list-query.ts'
import { findSlowFields } from './missing-indexes.ts'
import { toOutputSchema } from './output-schema.ts'

const output = toOutputSchema(
  z.strictObject({
    title: z.string(),
    slug: z.string(),
    status: z.enum(['draft', 'live']),
    views: z.int(),
    text: z.string(),
    rank: z.int(),
  }),
)
const query = defineListQuery(output, {
  filters: {
    id: ['eq'],
    title: ['eq'],
    slug: ['eq'],
    status: ['in'],
    views: ['gt'],
    text: ['contains'],
  },
  sort: ['createdAt', 'rank', 'views'],
})

function createRouterOf(name: string, schema: Schema) {
  const list = defineRoute({
    method: 'get',
    path: '/',
    access: 'public',
    query,
    response: output.array(),
    handler: () => {},
  })
  return createRouter([list], { model: model(name, schema) })
}

function toSchema(): Schema {
  return new Schema({ slug: { type: String, unique: true }, status: String, owner: String })
}

describe('fields without an index', () => {
  it('are reported once each, with the index to add', () => {
    const schema = toSchema().index({ status: 1, views: 1 }).index({ owner: 1, createdAt: -1 })
    expect(findSlowFields(createRouterOf('SlowPost', schema))).toEqual([
      "SlowPost has no index for 'title', which its list filters by: each such request reads the whole collection. Add to the model: schema.index({ title: 1, _id: 1 }).",
      expect.stringContaining("no index for 'views', which its list filters by"),
      expect.stringContaining("no index for 'rank', which its list sorts by"),
    ])
  })

  it('are none when every field leads an index, or follows fields that clients cannot name', () => {
    const schema = toSchema()
      .index({ owner: 1, title: 1, _id: 1 })
      .index({ status: 1, _id: 1 })
      .index({ views: -1 })
      .index({ owner: 1, createdAt: 1 })
      .index({ rank: 1 })
    expect(findSlowFields(createRouterOf('FastPost', schema))).toEqual([])
  })

  it('are logged when the API starts', async () => {
    const lines: string[] = []
    const routes = createRegistry().use('/api/posts', createRouterOf('WarnedPost', toSchema()))
    const api = createApi({
      routes,
      database: false,
      auth: false,
      log: { level: 'warn', format: 'json', stream: { write: (line) => void lines.push(line) } },
    })
    await api.start({ port: 0, signals: false })
    await api.stop()
    const toWarnings = (): string[] => lines.join('').match(/WarnedPost has no index/g) ?? []
    // Lines are written out a moment later.
    await expect.poll(toWarnings).toHaveLength(5)
  })
})
