import { assert, asyncProperty, constantFrom } from 'fast-check'
import { expect, it } from 'vitest'
import { importStatement } from '../src/lib/code/import-statement.ts'
import { pattern, quoted, text } from '../src/lib/code/literals.ts'
import { parseCode } from '../src/lib/code/parse-code.ts'
import { hostileTexts } from './hostile-texts.ts'

const quotes = constantFrom("'" as const, '"' as const)
const invisible = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u

it('literals contain any text, visibly', async () => {
  await assert(
    asyncProperty(hostileTexts, quotes, async (value, quote) => {
      for (const literal of [text(value), quoted(value, quote)]) {
        expect(literal).not.toMatch(invisible)
        const { program } = await parseCode(`(${literal})`)
        expect(program.body).toMatchObject([{ expression: { type: 'StringLiteral', value } }])
      }
      expect(quoted(value, quote).at(0)).toBe(quote)
    }),
  )
})

it('imports contain any specifier', async () => {
  await assert(
    asyncProperty(hostileTexts, quotes, async (value, quote) => {
      const { program } = await parseCode(importStatement('{ one }', value, quote))
      expect(program.body).toMatchObject([{ type: 'ImportDeclaration', source: { value } }])
    }),
  )
})

it('regular expressions match what their source matches', () => {
  expect(pattern('^/\n[/]$')).toBe(String.raw`/^\/\n[/]$/u`)
})
