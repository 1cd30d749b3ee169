import { Types } from 'mongoose'
import { describe, expect, it } from 'vitest'
import { createCursorKeys, parseCursor, toCursor } from './cursor.ts'

const secret = 'a secret of at least thirty-two characters'
const newer = 'another secret of at least thirty-two characters'
const position = ['a title', new Date(0), new Types.ObjectId('65f0c0ffee0123456789abcd'), null, 7]

describe('cursors', () => {
  it('restore a position with its types', () => {
    const keys = createCursorKeys([secret], 'api')
    expect(parseCursor(toCursor(position, 'list', keys), 'list', keys)).toEqual(position)
    expect(parseCursor(toCursor(position, 'list'), 'list')).toEqual(position)
  })

  it('restore numbers of any size as they are stored', () => {
    const numbers = [2 ** 53, 2 ** 60, -(2 ** 63), 1e20, 1.5, 0, 9007199254740993n, 5n]
    const [double, ...others] = parseCursor(toCursor(numbers, 'list'), 'list')
    expect([double, ...others]).toEqual([...numbers.slice(0, -1), 5])
  })

  it('are valid in every process with the secret, and rejected by other APIs and lists', () => {
    const cursor = toCursor(position, 'list', createCursorKeys([secret], 'api'))
    expect(parseCursor(cursor, 'list', createCursorKeys([secret], 'api'))).toEqual(position)
    for (const read of [
      () => parseCursor(cursor, 'other list', createCursorKeys([secret], 'api')),
      () => parseCursor(cursor, 'list', createCursorKeys([secret], 'other api')),
      () => parseCursor(cursor, 'list', createCursorKeys([newer], 'api')),
      () => parseCursor(cursor, 'list'),
    ]) {
      expect(read).toThrow(expect.objectContaining({ code: 'invalid_query' }))
    }
  })

  it('survive a rotation of secrets until the old one is dropped', () => {
    const cursor = toCursor(position, 'list', createCursorKeys([secret], 'api'))
    const rotated = createCursorKeys([newer, secret], 'api')
    expect(parseCursor(cursor, 'list', rotated)).toEqual(position)
    const fresh = toCursor(position, 'list', rotated)
    expect(parseCursor(fresh, 'list', createCursorKeys([newer], 'api'))).toEqual(position)
    expect(() => parseCursor(cursor, 'list', createCursorKeys([newer], 'api'))).toThrow()
  })

  it('are accepted only exactly as issued', () => {
    const cursor = toCursor(position, 'list')
    for (const text of ['', 'x', `${cursor}=`, `${cursor}A`, cursor.slice(1), ` ${cursor}`]) {
      expect(() => parseCursor(text, 'list')).toThrow()
    }
  })
})
