import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { CommandError, errorNameOf } from './command-error.ts'

const source = join(import.meta.dirname, '..')

describe('CommandError', () => {
  it('has the code of its name', () => {
    expect(new CommandError('FailedToParse', 'x')).toMatchObject({ code: 9 })
    expect(new CommandError('Location40324', 'x')).toMatchObject({ code: 40324 })
  })

  it('takes no number', () => {
    // @ts-expect-error -- MongoDB's name is required
    expect(() => new CommandError(9, 'x')).toThrow(TypeError)
  })

  it('is named where MongoDB has a name for the code', () => {
    const files = readdirSync(source, { recursive: true, encoding: 'utf8' })
    const text = files
      .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
      .map((name) => readFileSync(join(source, name), 'utf8'))
      .join('')
    const codes = [...text.matchAll(/'Location(\d+)'/g)].map(([, code]) => Number(code))
    expect(codes.length).toBeGreaterThan(100)
    expect(codes.filter((code) => errorNameOf(code) !== `Location${code}`)).toEqual([])
  })
})
