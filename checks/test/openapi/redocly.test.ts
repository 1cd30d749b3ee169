import { createConfig, lintFromString } from '@redocly/openapi-core'
import mongoose from 'mongoose'
import { z } from 'zod'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { renderGolden } from '../../../packages/core/test/golden/render-golden.ts'

beforeEach(() => {
  // Each golden project has a model of the same name.
  mongoose.deleteModel(/.*/)
  vi.resetModules()
})

// What the generated resources do not use: views, rules, decimals, uploads, foreign bodies, tokens and webhooks.
async function createUnusualApi() {
  const { createApi, createRegistry, createRouter, defineRoute, defineRule, multipart } =
    await import('../../../packages/core/src/index.ts')
  const { decimal, defineView, idParams } = await import('../../../packages/core/src/resource.ts')
  const output = z.object({ id: idParams.shape.id, owner: idParams.shape.id, price: decimal().out })
  const view = defineView(output, {
    fields: ['price'],
    include: { owner: { response: z.object({ name: z.string() }), access: 'public' } },
  })
  const things = createRouter([
    defineRoute({
      method: 'get',
      path: '/:id',
      params: idParams,
      query: view.query,
      load: async () => ({}),
      access: defineRule('anyone', () => true),
      response: view.response,
      etag: true,
      handler: () => {},
    }),
    defineRoute({
      method: 'post',
      path: '/',
      access: 'admin',
      body: z.strictObject({ thing: z.strictObject({ price: decimal({ min: 1 }) }) }),
      response: output,
      status: 201,
      envelope: (thing) => ({ thing }),
      handler: () => {},
    }),
    defineRoute({
      method: 'post',
      path: '/:id/pictures',
      access: 'user',
      params: idParams,
      body: multipart({
        fields: z.strictObject({ title: z.string() }),
        files: { picture: { types: ['image/png'] }, more: { maxCount: 3, required: false } },
      }),
      handler: () => {},
    }),
  ])
  return createApi({
    name: 'unusual',
    routes: createRegistry().use('/api/posts', things),
    auth: { scheme: 'Token' },
    openapi: {
      problem: { contentType: 'text/plain', schema: z.string() },
      webhooks: {
        'post.published': {
          headers: { 'webhook-id': 'Identifies the message.' },
          body: z.object({ data: z.object({ postId: z.string() }) }),
          responses: { '2XX': 'Received.', '410': 'No more messages.' },
        },
      },
    },
  })
}

describe('the OpenAPI document', () => {
  it.each([
    ['public', () => renderGolden('public')],
    ['owner', () => renderGolden('owner')],
    ['rich', () => import('../../../packages/core/test/golden/rich/app.js')],
    ['unusual', async () => ({ api: await createUnusualApi() })],
  ])('of the %s resource has no problem under recommended-strict', async (_, load) => {
    const { api } = await load()
    const config = await createConfig({ extends: ['recommended-strict'] })
    const problems = await lintFromString({ source: JSON.stringify(api.openapi), config })
    expect(problems.map(({ ruleId, message }) => `${ruleId}: ${message}`)).toEqual([])
    expect(Object.keys(api.openapi?.paths ?? {})).toContain('/api/posts/{id}')
  })
})
