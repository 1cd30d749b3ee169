import { Router as ExpressRouter } from 'express'
import { describe, expect, it } from 'vitest'
import { createRouter } from './create-router.ts'
import { createRegistry } from './registry.ts'

const router = createRouter([])

describe('createRegistry', () => {
  it('keeps mounts in their order', () => {
    const registry = createRegistry().use('/api/posts', router).use('/api/posts/:postId/x', router)
    expect(registry.mounts.map(({ prefix }) => prefix)).toEqual([
      '/api/posts',
      '/api/posts/:postId/x',
    ])
  })

  it.each(['api/posts', '/', '', '/api/', '/api//posts', '/api/*x', '/a?b'])(
    'refuses %j as a prefix',
    (prefix) => {
      expect(() => createRegistry().use(prefix, router)).toThrow(
        `The prefix '${prefix}' is no path. Write it as '/api/posts'.`,
      )
    },
  )

  it('refuses a router that was not made by createRouter, and says where to mount it', () => {
    const foreign: unknown = ExpressRouter()
    expect(() => createRegistry().use('/api/x', foreign as never)).toThrow(
      'Mount other Express routers with api.app.use().',
    )
  })
})
