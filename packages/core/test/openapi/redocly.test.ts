import { createConfig, lintFromString } from '@redocly/openapi-core'
import mongoose from 'mongoose'
import { beforeEach, describe, expect, it, vi } from 'vitest'

beforeEach(() => {
  // Each golden project has a model of the same name.
  mongoose.deleteModel(/.*/)
  vi.resetModules()
})

describe('the OpenAPI document', () => {
  it.each([
    ['public', () => import('../golden/public/app.js')],
    ['owner', () => import('../golden/owner/app.js')],
    ['rich', () => import('../golden/rich/app.js')],
  ])('of the %s resource has no problem under recommended-strict', async (_, load) => {
    const { api } = await load()
    const config = await createConfig({ extends: ['recommended-strict'] })
    const problems = await lintFromString({ source: JSON.stringify(api.openapi), config })
    expect(problems.map(({ ruleId, message }) => `${ruleId}: ${message}`)).toEqual([])
    expect(Object.keys(api.openapi?.paths ?? {})).toContain('/api/posts/{id}')
  })
})
