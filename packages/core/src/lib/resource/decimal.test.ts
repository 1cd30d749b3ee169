import { describe, expect, it } from 'vitest'
import { decimal } from './decimal.ts'

const amount = decimal({ scale: 5 })

describe('decimal', () => {
  it.each([
    ['123456789123456.12345', '123456789123456.12345'],
    [0, '0'],
    [-12.5, '-12.5'],
    [123_456_789_012_345, '123456789012345'],
    [1234567890.12345, '1234567890.12345'],
    [1e19, '10000000000000000000'],
    [0.00001, '0.00001'],
  ])('accepts %s', (input, expected) => {
    expect(amount.parse(input)).toBe(expected)
  })

  it.each([
    '123456789123456.12345',
    '9007199254740993',
    '1.1234567890123456',
    '1152921504606846976',
  ])('rejects the number %s, whose digits JSON.parse may have rounded', (json) => {
    expect(amount.safeParse(JSON.parse(json)).error?.issues).toMatchObject([
      { message: 'must be text if it has more than 15 digits', path: [] },
    ])
  })

  it.each(['1e3', 'x', true, '1.123456'])('rejects %s', (input) => {
    expect(amount.safeParse(input).success).toBe(false)
  })
})
