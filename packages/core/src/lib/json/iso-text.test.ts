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

  it('returns what toISOString returns for any time of any day', () => {
    for (let ms = -8.64e15; ms <= 8.64e15; ms += 1_234_567_891_011) {
      for (const time of [ms, ms + 1, ms + 3_599_999]) {
        expect(toIsoText(time)).toBe(new Date(time).toISOString())
      }
    }
  })

  it('throws for an invalid date after the last valid one', () => {
    expect(toIsoText(8.64e15)).toBe('+275760-09-13T00:00:00.000Z')
    expect(() => toIsoText(8.64e15 + 1)).toThrow(RangeError)
  })

  it('throws for an invalid date and recovers', () => {
    expect(toIsoText(5)).toBe('1970-01-01T00:00:00.005Z')
    expect(() => toIsoText(8.64e15 + 1)).toThrow(RangeError)
    expect(toIsoText(5)).toBe('1970-01-01T00:00:00.005Z')
  })
})
