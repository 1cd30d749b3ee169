import { describe, expect, expectTypeOf, it } from 'vitest'
import { requireFound } from './version.ts'

describe('requireFound', () => {
  it('returns the document that was found', () => {
    const [found] = [{ title: 'one' }]
    expectTypeOf(requireFound(found)).toEqualTypeOf<{ title: string }>()
    expect(requireFound(found)).toBe(found)
  })

  it.each([null, undefined])('throws not_found for %s', (document) => {
    expect(() => requireFound(document)).toThrow(expect.objectContaining({ code: 'not_found' }))
  })
})
