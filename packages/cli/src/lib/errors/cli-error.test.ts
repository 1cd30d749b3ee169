import { describe, expect, it } from 'vitest'
import { toCliError } from './cli-error.ts'

describe('toCliError', () => {
  it.each([
    ['EACCES', 'ls -ld'],
    ['EPERM', 'ls -ld'],
    ['EROFS', 'read-only'],
    ['ENOSPC', 'the disk is full'],
  ])('suggests a fix for %s', (code, hint) => {
    const error = toCliError(Object.assign(new Error(`${code}: mkdir '/srv/x'`), { code }))
    expect(error).toMatchObject({ code: 'UNEXPECTED', exit: 1, message: `${code}: mkdir '/srv/x'` })
    expect(error.hint).toContain(hint)
  })

  it('has no hint for other errors', () => {
    expect(toCliError(Object.assign(new Error('no'), { code: 'EIO' })).hint).toBeUndefined()
    expect(toCliError('no')).toMatchObject({ code: 'UNEXPECTED', message: 'no', hint: undefined })
  })
})
