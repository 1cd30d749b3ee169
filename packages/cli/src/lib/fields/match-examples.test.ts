import { describe, expect, it } from 'vitest'
import { findExamples } from './match-examples.ts'

describe('findExamples', () => {
  it.each([
    '^[0-9]{13}$',
    '^[a-z0-9]+(-[a-z0-9]+)*$',
    '^#[0-9a-f]{6}$',
    '^[A-Z]{2}\\d{2}[A-Z0-9]{10,30}$',
    '^\\+?[1-9]\\d{1,14}$',
    '^(red|green|blue)$',
    '^\\d{4}-\\d{2}$',
    '^[^@\\s]+@[^@\\s]+$',
    '^v?\\d+\\.\\d+\\.\\d+$',
    '^.{5}$',
    '\\bab\\b',
    '^(?:a|b)(?<tail>c)$',
    '^\\/[a-z]*$',
  ])('finds values for %s', async (source) => {
    const examples = await findExamples(source, { min: 1, max: 200 })
    expect(examples.length).toBeGreaterThan(0)
    for (const example of examples) expect(example).toMatch(new RegExp(source, 'u'))
    expect(await findExamples(source, { min: 1, max: 200 })).toEqual(examples)
  })

  it('respects the bounds', async () => {
    const examples = await findExamples('^[a-z]+$', { min: 8, max: 10 })
    expect(examples.length).toBeGreaterThan(0)
    for (const example of examples) {
      expect(example.length).toBeGreaterThanOrEqual(8)
      expect(example.length).toBeLessThanOrEqual(10)
    }
  })

  it('finds none for an expression that nothing matches', async () => {
    expect(await findExamples('(?!)', { min: 1, max: 200 })).toEqual([])
  })
})
