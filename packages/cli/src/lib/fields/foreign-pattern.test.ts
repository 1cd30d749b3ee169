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
])('%s cannot', (source) => {
  expect(isCostly(source)).toBe(false)
})

it('finds the values that match, and nothing where that takes too long', () => {
  expect(findMatches('^a+$', ['a', 'b', 'aa'])).toEqual(['a', 'aa'])
  expect(findMatches('^(a+)+$', [`${'a'.repeat(40)}b`])).toBeUndefined()
})
