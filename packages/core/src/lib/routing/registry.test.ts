import { Router as ExpressRouter } from 'express'
import { describe, expect, it } from 'vitest'
import { createRouter } from './create-router.ts'
import { createRegistry } from './registry.ts'

const router = createRouter([])

describe('createRegistry', () => {
  it('keeps the order of mounts', () => {
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
        `The prefix '${prefix}' is not a path. Write it as '/api/posts'.`,
      )
    },
  )

  it('rejects a router not created by createRouter, and explains where to mount it', () => {
    const foreign: unknown = ExpressRouter()
    expect(() => createRegistry().use('/api/x', foreign as never)).toThrow(
      'Mount other Express routers with api.app.use().',
    )
  })
})
