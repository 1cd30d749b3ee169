import { describe, expect, it } from 'vitest'
import { toIsoText } from './iso-text.ts'

const latest = 8_640_000_000_000_000

describe('toIsoText', () => {
  it.each([0, -1, 1, 86_399_999, 86_400_000, -86_400_000, -62_167_219_200_001, latest, -latest])(
    'writes %d as Date does',
    (ms) => {
      expect(toIsoText(ms)).toBe(new Date(ms).toISOString())
    },
  )

  it('writes any time as Date does, on one day and on another', () => {
    let seed = 1
    const random = (): number => (seed = (seed * 48_271) % 2_147_483_647) / 2_147_483_647
    for (let count = 0; count < 20_000; count++) {
      const ms = Math.trunc((random() - 0.5) * 2 * (count % 2 ? latest : 172_800_000))
      expect(toIsoText(ms)).toBe(new Date(ms).toISOString())
    }
  })
})
