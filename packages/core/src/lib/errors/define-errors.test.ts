import { describe, expect, it } from 'vitest'
import { ApiError } from './api-error.ts'
import { defineErrors } from './define-errors.ts'
import { toProblem } from './problem.ts'

const errors = defineErrors({
  quota_exceeded: { status: 402, title: 'The quota is used up.' },
  upstream_failed: { status: 502, title: 'The supplier does not respond.' },
})

describe('defineErrors', () => {
  it('makes codes of an application problems like those of the framework', () => {
    const error = new ApiError(errors.quota_exceeded, { detail: '10 of 10 used.' })
    expect(toProblem(error, { requestId: 'r' })).toEqual({
      type: 'urn:problem-type:create-api/quota_exceeded',
      title: 'The quota is used up.',
      status: 402,
      detail: '10 of 10 used.',
      instance: '/requests/r',
      code: 'quota_exceeded',
      requestId: 'r',
      errors: undefined,
    })
    const failure = new ApiError(errors.upstream_failed, { detail: 'secret' })
    expect(toProblem(failure, { requestId: 'r' })).toMatchObject({ status: 502, detail: undefined })
  })

  it('makes an unknown code a type error', () => {
    // @ts-expect-error -- not defined
    expect(() => new ApiError(errors.quota)).toThrow(TypeError)
    // @ts-expect-error -- neither a code of the framework nor a definition
    expect(() => new ApiError('quota_exceeded')).toThrow(TypeError)
  })

  it.each([
    ['not_found', 404, 'x', "'not_found' is one of the framework's"],
    ['quotaExceeded', 402, 'x', "Write it as 'quota_exceeded'"],
    ['quota', 200, 'x', 'must be from 400 to 599'],
    ['quota', 402.5, 'x', 'must be from 400 to 599'],
    ['quota', 402, '', 'needs a title'],
  ])('rejects %s with status %d and the title "%s"', (code, status, title, message) => {
    expect(() => defineErrors({ [code]: { status, title } })).toThrow(message)
  })
})
