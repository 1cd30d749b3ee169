import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { ApiError } from './api-error.ts'
import { catalogue } from './catalogue.ts'
import { toProblem } from './problem.ts'

const document = readFileSync(new URL('../../../../../docs/errors.md', import.meta.url), 'utf8')

function readTable(): { code: string; status: number; title: string; rest: string[] }[] {
  return document
    .split('\n')
    .filter((line) => line.startsWith('| `'))
    .map((line) => {
      const [code = '', status, title = '', ...rest] = line
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim())
      return { code: code.replaceAll('`', ''), status: Number(status), title, rest }
    })
}

describe('docs/errors.md', () => {
  it('has every code with its status and title, in the order of the catalogue', () => {
    const codes = Object.entries(catalogue).map(([code, { status, title }]) => ({
      code,
      status,
      title,
    }))
    expect(readTable().map(({ code, status, title }) => ({ code, status, title }))).toEqual(codes)
  })

  it('has a cause, a remedy and an example for each code', () => {
    expect(readTable().filter(({ rest }) => rest.length !== 3 || rest.includes(''))).toEqual([])
  })

  it('shows a problem as it is sent', () => {
    const shown: unknown = JSON.parse(/```json\n([\s\S]*?)```/.exec(document)?.[1] ?? '')
    const error = new ApiError('validation_failed', {
      detail: '2 fields are not valid.',
      errors: [
        {
          in: 'body',
          pointer: '#/email',
          code: 'invalid_format',
          detail: 'must be an e-mail address',
        },
        { in: 'body', pointer: '#/role', code: 'unrecognized_key', detail: 'is not allowed' },
      ],
    })
    expect(shown).toEqual(toProblem(error, { requestId: '7d1c' }))
  })
})

describe('toProblem', () => {
  it('ERR-02 is the same for every 5xx of one code', () => {
    const one = new ApiError('internal_error')
    const other = new ApiError('internal_error', {
      detail: 'mongodb://u:p@h',
      errors: [{ in: 'body', pointer: '#/a', code: 'a', detail: 'a' }],
      cause: new Error('x'),
    })
    expect(toProblem(other, { requestId: 'r' })).toEqual(toProblem(one, { requestId: 'r' }))
  })
})
