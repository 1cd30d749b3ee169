import path from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { findTypeErrors } from '../openapi/type-errors.ts'
import { writeDocsExamples } from '../docs-examples.ts'

const examples = writeDocsExamples('client.md', { 'src/client.ts': 'examples/blog/src/client.ts' })
afterAll(() => examples.remove())

describe('docs/client.md', () => {
  it.each(examples.files)('has code with correct types: %s', (file) => {
    const errors = findTypeErrors(file, {
      customConditions: ['@create-api/source'],
      exactOptionalPropertyTypes: true,
    })
    expect(errors).toEqual([])
  })

  it('has code for the session, errors, lists, writes, the network and React', () => {
    expect(examples.files.length).toBeGreaterThan(8)
    const names = examples.files.map((file) => path.basename(file))
    expect(names).toContain('posts-query.tsx')
    expect(names).toContain('posts-swr.tsx')
  })
})
