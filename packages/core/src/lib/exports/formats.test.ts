import { array, assert, constantFrom, property, string, stringMatching } from 'fast-check'
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
  const start = array(constantFrom(...before), { maxLength: 4 }).map((all) => all.join(''))
  assert(
    property(start, constantFrom(...signs), string(), (prefix, sign, rest) => {
      const text = `${prefix}${sign}cmd${rest}`
      expect(lineOf(text).replace(/^"/, '')).toBe(
        `'${/["\r\n;]/.test(text) ? `${text.replaceAll('"', '""')}"` : text}\r\n`,
      )
    }),
  )
})

it('other text and numbers stay as they are', () => {
  const letter = constantFrom('a', 'Z', '7', 'é', '(', '#')
  assert(
    property(letter, stringMatching(/^[\w=+@ -]*$/), (first, rest) => {
      expect(lineOf(first + rest)).toBe(`${first}${rest}\r\n`)
    }),
  )
  expect(lineOf('-12.50')).toBe('-12.50\r\n')
})
