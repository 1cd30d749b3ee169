import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import ts from 'typescript'
import { afterAll, describe, expect, it } from 'vitest'
import { codeBefore, writeDocsExamples } from '../docs-examples.ts'
import { findTypeErrors } from '../openapi/type-errors.ts'

const docs = path.resolve(import.meta.dirname, '../../../docs')

function findSyntaxErrors(language: string, code: string): string[] {
  const { diagnostics = [] } = ts.transpileModule(code, {
    fileName: `page.${language}`,
    reportDiagnostics: true,
    compilerOptions: { experimentalDecorators: true },
  })
  return diagnostics.map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, ' '))
}

describe.each(readdirSync(path.join(docs, 'coming-from')))('docs/coming-from/%s', async (page) => {
  const text = readFileSync(path.join(docs, 'coming-from', page), 'utf8')
  const examples = writeDocsExamples(`coming-from/${page}`)
  afterAll(() => examples.remove())

  it('has code of the other framework that can be parsed', () => {
    const blocks = [...text.matchAll(codeBefore)]
    const errors = blocks.flatMap(([, language = '', code = '']) =>
      findSyntaxErrors(language, code),
    )
    expect(errors).toEqual([])
    expect(blocks.length).toBeGreaterThanOrEqual(3)
  })

  it('has code with correct types', () => {
    const options = { customConditions: ['@create-api/source'], types: ['node'] }
    expect(findTypeErrors(examples.files, options)).toEqual([])
  })

  // The tests that the page shows, of the application that it shows.
  const tests = examples.files.filter((file) => file.endsWith('.test.ts'))
  for (const test of tests) await import(test)
})
