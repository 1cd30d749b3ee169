import { readFileSync } from 'node:fs'
import * as openapiDiff from '@create-api/openapi-diff'
import { expect, it } from 'vitest'

it('exports what README.md documents', () => {
  const names = Object.keys(openapiDiff).toSorted()
  expect(names).toEqual(['DocumentError', 'compareDocuments', 'rules'])
  const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8')
  expect(names.filter((name) => !readme.includes(`\`${name}`))).toEqual([])
})
