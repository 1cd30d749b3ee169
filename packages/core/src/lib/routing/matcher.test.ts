import { describe, expect, it } from 'vitest'
import { createMatcher } from './matcher.ts'

const matcher = createMatcher([
  { method: 'GET', path: '/', value: 'root' },
  { method: 'GET', path: '/posts', value: 'list' },
  { method: 'POST', path: '/posts', value: 'create' },
  { method: 'GET', path: '/posts/:id', value: 'one' },
  { method: 'DELETE', path: '/posts/:id', value: 'delete' },
  { method: 'GET', path: '/posts/feed', value: 'feed' },
  { method: 'GET', path: '/posts/:postId/comments/:id', value: 'comment' },
])

describe('createMatcher', () => {
  it.each([
    ['GET', '/', 'root', []],
    ['GET', '/posts', 'list', []],
    ['GET', '/posts/', 'list', []],
    ['HEAD', '/posts', 'list', []],
    ['POST', '/posts', 'create', []],
    ['GET', '/posts/7', 'one', ['7']],
    ['GET', '/posts/feed', 'feed', []],
    ['DELETE', '/posts/feed', 'delete', ['feed']],
    ['GET', '/posts/1/comments/2', 'comment', ['1', '2']],
  ])('finds %s %s', (method, path, value, values) => {
    expect(matcher.find(method, path)).toMatchObject({ status: 'found', value: { value }, values })
  })

  it.each(['/nope', '/posts/1/comments', '/posts//comments/2', '//', '/posts/1/comments/2/3', ''])(
    'finds nothing at %s',
    (path) => {
      expect(matcher.find('GET', path)).toBeUndefined()
    },
  )

  it('lists every method of the path when only the method does not match', () => {
    expect(matcher.find('PUT', '/posts')).toEqual({
      status: 'other-method',
      allow: 'GET, HEAD, OPTIONS, POST',
    })
    expect(matcher.find('PUT', '/posts/feed')).toEqual({
      status: 'other-method',
      allow: 'DELETE, GET, HEAD, OPTIONS',
    })
  })

  it('rejects two entries with the same method and path', () => {
    const entry = { method: 'GET', path: '/a/:x', value: 1 }
    expect(() => createMatcher([entry, { ...entry, path: '/a/:y' }])).toThrow(
      'The route GET /a/:y is defined twice.',
    )
  })
})
