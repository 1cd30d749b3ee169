import { describe, expect, it } from 'vitest'
import { toIsoText } from './iso-text.ts'

describe('toIsoText', () => {
  it.each([0, -1, 1, 86_399_999, 86_400_000, -62_198_755_200_000, 8.64e15])(
    'returns what toISOString returns for %d, first and again',
    (ms) => {
      const expected = new Date(ms).toISOString()
      expect([toIsoText(ms), toIsoText(ms)]).toEqual([expected, expected])
    },
  )

  it('throws for an invalid date and recovers', () => {
    expect(toIsoText(5)).toBe('1970-01-01T00:00:00.005Z')
    expect(() => toIsoText(8.64e15 + 1)).toThrow(RangeError)
    expect(toIsoText(5)).toBe('1970-01-01T00:00:00.005Z')
  })
})
