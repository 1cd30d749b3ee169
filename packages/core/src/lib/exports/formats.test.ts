import fc from 'fast-check'
import { expect, it } from 'vitest'
import { z } from 'zod'
import { csv } from './formats.ts'

const toText = csv({ separator: ';' }).toText
const lineOf = (note: string): string => {
  const { toItem } = toText(z.object({ note: z.string() }), () => true)
  return toItem({ note })
}

const before = [' ', '\t', '\r', '\n', ',', ';', '"', "'", '\0', '\u00a0', '\u3000', '\ufeff']
const signs = ['=', '+', '-', '@', '＝', '＋', '－', '＠']

it('text that a spreadsheet could take for a formula begins with an apostrophe', () => {
  const start = fc.array(fc.constantFrom(...before), { maxLength: 4 }).map((all) => all.join(''))
  fc.assert(
    fc.property(start, fc.constantFrom(...signs), fc.string(), (prefix, sign, rest) => {
      const text = `${prefix}${sign}cmd${rest}`
      expect(lineOf(text).replace(/^"/, '')).toBe(
        `'${/["\r\n;]/.test(text) ? `${text.replaceAll('"', '""')}"` : text}\r\n`,
      )
    }),
  )
})

it('other text and numbers stay as they are', () => {
  const letter = fc.constantFrom('a', 'Z', '7', 'é', '(', '#')
  fc.assert(
    fc.property(letter, fc.stringMatching(/^[\w=+@ -]*$/), (first, rest) => {
      expect(lineOf(first + rest)).toBe(`${first}${rest}\r\n`)
    }),
  )
  expect(lineOf('-12.50')).toBe('-12.50\r\n')
})
