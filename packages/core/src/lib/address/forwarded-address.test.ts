import { describe, expect, it } from 'vitest'
import { parseForwardedAddress } from './forwarded-address.ts'

describe('parseForwardedAddress', () => {
  it.each([
    ['203.0.113.7', '203.0.113.7'],
    ['203.0.113.7:50007', '203.0.113.7'],
    ['2001:db8::1', '2001:db8::1'],
    ['[2001:db8::1]', '2001:db8::1'],
    ['[2001:DB8::1]:443', '2001:DB8::1'],
    ['"[2001:db8::1]:443"', '2001:db8::1'],
    ['"203.0.113.7:50007"', '203.0.113.7'],
    ['::ffff:203.0.113.7', '::ffff:203.0.113.7'],
    [' 203.0.113.7 ', '203.0.113.7'],
  ])('reads %s as %s', (entry, address) => {
    expect(parseForwardedAddress(entry)).toBe(address)
  })

  it.each([
    '',
    'unknown',
    '_hidden',
    '999.0.113.7:1',
    '203.0.113.7:',
    '203.0.113.7:123456',
    '[203.0.113.7]x',
    'example.com:443',
    '203.0.113.7:50007, 10.0.0.1',
    '[]:443',
  ])('does not take %j for an address', (entry) => {
    expect(parseForwardedAddress(entry)).toBeUndefined()
  })
})
