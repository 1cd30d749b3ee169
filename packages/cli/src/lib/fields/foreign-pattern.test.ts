import { expect, it } from 'vitest'
import { findMatches, isCostly } from './foreign-pattern.ts'

it.each([
  '^(a+)+$',
  '^(x+x+)+y$',
  '^([a-z]+)*$',
  '^(\\w+\\s?)*$',
  '^(a|aa)+$',
  '^(\\d+-?)+$',
  '^(([a-z])+.)+[A-Z]([a-z])+$',
  '^id-(a+)+$',
  '^https://([a-z]+.?)+$',
  '^[A-Z]{2}(\\d+)+$',
  '^(abc|abcabc)+$',
  '^(a|b|ab)*c$',
  '^[(](x+){2,}$',
])('%s can block a process', (source) => {
  expect(isCostly(source)).toBe(true)
})

it.each([
  '^[a-z0-9]+(-[a-z0-9]+)*$',
  '^\\+?[1-9]\\d{1,14}$',
  '^[^@\\s]+@[^@\\s]+\\.[^@\\s]+$',
  '^(red|green|blue)$',
  '^.{1,200}$',
  '^[\\p{L}\\p{N} ]+$',
  '^(?=.*[a-z])(?=.*[A-Z])(?=.*\\d).{8,}$',
  '^(["\'])(?:x\\1)*$',
  '^v?\\d+\\.\\d+\\.\\d+(-[0-9A-Za-z-]+(\\.[0-9A-Za-z-]+)*)?$',
  '^(?:[0-9A-Fa-f]{1,4}:){7}[0-9A-Fa-f]{1,4}$',
])('%s cannot', (source) => {
  expect(isCostly(source)).toBe(false)
})

it('finds the values that match, and nothing where that takes too long', () => {
  expect(findMatches('^a+$', ['a', 'b', 'aa'])).toEqual(['a', 'aa'])
  expect(findMatches('^(a+)+$', [`${'a'.repeat(40)}b`])).toBeUndefined()
})
