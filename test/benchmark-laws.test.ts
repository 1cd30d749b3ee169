import { describe, expect, it } from 'vitest'
import { describeLaw, describeSlope } from '../benchmarks/http/growth/law.js'
import { createRandom } from '../packages/core/test/random.ts'

const counts = [10, 100, 1000, 5000]

const measure = (cost: (count: number) => number, own = counts): [number, number][] =>
  own.map((count) => [count, cost(count)])

describe('describeLaw', () => {
  it.each<[string, (count: number) => number]>([
    ['constant', () => 40],
    ['constant', (count) => 40 + Math.sin(count)],
    ['logarithmic, +5 with each tenfold', (count) => 10 + 5 * Math.log10(count)],
    ['logarithmic, −4 with each tenfold', (count) => 20 - 4 * Math.log10(count)],
    ['linear, +30 per 1,000', (count) => 20 + 0.03 * count],
    ['n^0.50', (count) => 3 * count ** 0.5],
    ['n^2.00', (count) => count ** 2],
  ])('finds %s', (law, cost) => {
    expect(describeLaw(measure(cost))).toBe(law)
  })

  it('finds a line that begins at 0, which has no logarithm', () => {
    expect(describeLaw(measure((count) => 30 + 0.5 * count, [0, 50, 200]))).toBe(
      'linear, +50 per 100',
    )
  })

  it('finds a law in figures that vary by a tenth', () => {
    const random = createRandom(3)
    const vary = (value: number): number => value * (0.9 + random.below(200) / 1000)
    expect(describeLaw(measure(() => vary(40)))).toBe('constant')
    expect(describeLaw(measure((count) => vary(2 * count)))).toMatch(/^linear|^n\^(?:0\.9|1\.0)/)
  })
})

describe('describeSlope', () => {
  it('is what a thousand more take, also above a base that hides it', () => {
    expect(describeSlope(measure((count) => 1_000_000 + 3 * count))).toBe('+3,000 per 1,000')
  })
})
