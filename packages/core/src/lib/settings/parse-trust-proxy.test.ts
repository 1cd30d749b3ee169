import { describe, expect, it } from 'vitest'
import { parseTrustProxy } from './parse-trust-proxy.ts'

describe('parseTrustProxy', () => {
  it.each([
    [false, false],
    ['off', false],
    ['false', false],
    [0, false],
    [1, 1],
    ['2', 2],
    ['10.0.0.0/8', ['10.0.0.0/8']],
    ['loopback, 10.0.0.1', ['loopback', '10.0.0.1']],
    [['2001:db8::/32'], ['2001:db8::/32']],
  ])('RL-03 takes %j', (value, expected) => {
    expect(parseTrustProxy(value)).toEqual(expected)
  })

  it.each([
    true,
    'true',
    '*',
    '',
    '0.0.0.0/0',
    '::/0',
    '10.0.0.0/33',
    '10.0.0.0/8/8',
    'example.org',
    -1,
    1.5,
    [],
    ['10.0.0.1', 'x'],
    {},
    null,
  ])('RL-03 refuses %j', (value) => {
    expect(() => parseTrustProxy(value)).toThrow('must be a number of proxies')
  })
})
