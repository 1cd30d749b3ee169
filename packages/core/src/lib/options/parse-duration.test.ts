import { describe, expect, it } from 'vitest'
import { parseDuration } from './parse-duration.ts'
import { parseSize } from './parse-size.ts'

describe('parseDuration', () => {
  it.each([
    [900, 900_000],
    ['900', 900_000],
    ['15m', 900_000],
    ['250ms', 250],
    ['90s', 90_000],
    ['1h', 3_600_000],
    ['7d', 604_800_000],
    [0, 0],
    ['400d', 34_560_000_000],
  ])('CFG-03 reads %j', (value, ms) => {
    expect(parseDuration(value)).toBe(ms)
  })

  it.each([
    '15mn',
    '-1',
    '',
    '1e3s',
    '1.5h',
    ' 5s',
    '5 s',
    '0x10',
    '15M',
    'm',
    '1h30m',
    '401d',
    1.5,
    -1,
    Number.NaN,
    Infinity,
    null,
    undefined,
    true,
    {},
    [],
  ])('CFG-03 refuses %j', (value) => {
    expect(() => parseDuration(value, 'ACCESS_TTL')).toThrow(
      'ACCESS_TTL must be a duration such as 900, 15m, 1h or 250ms, of at most 400d.',
    )
  })
})

describe('parseSize', () => {
  it.each([
    [102_400, 102_400],
    ['102400', 102_400],
    ['100kb', 102_400],
    ['100KB', 102_400],
    ['1b', 1],
    ['2mb', 2_097_152],
    ['1gb', 1_073_741_824],
  ])('CFG-03 HTTP-03 reads %j', (value, bytes) => {
    expect(parseSize(value)).toBe(bytes)
  })

  it.each([
    '',
    '0',
    '100k',
    '-1',
    '1.5mb',
    '1e3',
    'kb',
    '1tb',
    0,
    -5,
    Number.NaN,
    null,
    true,
    '9'.repeat(16),
  ])('CFG-03 HTTP-03 refuses %j', (value) => {
    expect(() => parseSize(value, 'BODY_LIMIT')).toThrow('BODY_LIMIT must be a size')
  })
})
