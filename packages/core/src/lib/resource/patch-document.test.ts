import { Types } from 'mongoose'
import { describe, expect, it } from 'vitest'
import { applyMergePatch } from './patch-document.ts'

describe('applyMergePatch', () => {
  // The examples of RFC 7396, appendix A.
  it.each([
    [{ a: 'b' }, { a: 'c' }, { a: 'c' }],
    [{ a: 'b' }, { b: 'c' }, { a: 'b', b: 'c' }],
    [{ a: 'b' }, { a: null }, {}],
    [{ a: 'b', b: 'c' }, { a: null }, { b: 'c' }],
    [{ a: ['b'] }, { a: 'c' }, { a: 'c' }],
    [{ a: 'c' }, { a: ['b'] }, { a: ['b'] }],
    [{ a: { b: 'c' } }, { a: { b: 'd', c: null } }, { a: { b: 'd' } }],
    [{ a: [{ b: 'c' }] }, { a: [1] }, { a: [1] }],
    [
      ['a', 'b'],
      ['c', 'd'],
      ['c', 'd'],
    ],
    [{ a: 'b' }, ['c'], ['c']],
    [{ a: 'foo' }, null, null],
    [{ a: 'foo' }, 'bar', 'bar'],
    [{ e: null }, { a: 1 }, { e: null, a: 1 }],
    [[1, 2], { a: 'b', c: null }, { a: 'b' }],
    [{}, { a: { bb: { ccc: null } } }, { a: { bb: {} } }],
  ])('merges %j and %j to %j', (target, patch, expected) => {
    expect(applyMergePatch(target, patch)).toEqual(expected)
  })

  it('treats database values such as dates as single values', () => {
    const at = new Date(0)
    const id = new Types.ObjectId()
    expect(applyMergePatch({ at, id, n: 1 }, { n: 2 })).toEqual({ at, id, n: 2 })
    expect(applyMergePatch({ at }, { at: { a: 1 } })).toEqual({ at: { a: 1 } })
  })

  it('VAL-05 never changes a prototype', () => {
    const patch: unknown = JSON.parse(
      '{"a":{"__proto__":{"polluted":1},"b":1},"constructor":{"c":1}}',
    )
    const merged = applyMergePatch({ a: {} }, patch)
    expect(JSON.stringify(merged)).toBe('{"a":{"b":1},"constructor":{"c":1}}')
    expect(Reflect.get({}, 'polluted')).toBeUndefined()
    expect(Reflect.get({}, 'c')).toBeUndefined()
  })
})
