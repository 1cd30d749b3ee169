import { describe, expect, it } from 'vitest'
import { covers, toTemplates } from './path-pattern.ts'

describe('covers', () => {
  it.each([
    ['/posts/:id', '/posts/latest', false, true],
    ['/posts/:id', '/Posts/:slug', false, true],
    ['/posts/latest', '/posts/:id', false, false],
    ['/posts/:id', '/posts/:id/comments', false, false],
    ['/posts', '/posts/:id', true, true],
    ['/posts', '/postscript', true, false],
    ['/', '/anything/at/all', true, true],
    ['/', '/anything', false, false],
    ['/*splat', '/a/b', false, true],
    ['/*splat', '/', false, false],
    ['/:id(\\d+)', '/12', false, false],
    ['/files/:name.:ext', '/files/a.txt', false, false],
    ['/:id', '/:id(\\d+)', false, true],
    ['/:id', '/*rest', false, false],
  ] as const)('%s, %s with prefixes %s: %s', (above, below, prefixes, expected) => {
    expect(covers(above, below, prefixes)).toBe(expected)
  })
})

describe('toTemplates', () => {
  it.each([
    ['/posts/:id', ['/posts/{id}']],
    ['/posts/:id?', ['/posts', '/posts/{id}']],
    ['/posts{/:id}', ['/posts', '/posts/{id}']],
    ['/:a-:b.:c', ['/{a}-{b}.{c}']],
    ['/{:lang/}posts', ['/posts', '/{lang}/posts']],
    ['/', ['/']],
    ['/*splat', undefined],
    ['*', undefined],
    ['/ab?cd', undefined],
    ['/posts/:id+', undefined],
  ] as const)('%s becomes %j', (path, expected) => {
    expect(toTemplates(path)?.map((template) => template.path)).toEqual(expected)
  })

  it('keeps the pattern of a parameter', () => {
    expect(toTemplates('/posts/:id(\\d+)')).toEqual([
      { path: '/posts/{id}', parameters: [{ name: 'id', pattern: '\\d+' }] },
    ])
  })
})
