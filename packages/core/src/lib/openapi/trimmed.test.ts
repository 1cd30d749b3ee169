import { Ajv2020 } from 'ajv/dist/2020.js'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { createSchemaComponents } from './schema-components.ts'

const texts = [
  '',
  ' ',
  'a',
  'ab',
  'abc',
  'abcd',
  'abcde',
  ' a',
  'a b',
  '\ufeffa\n',
  '\u0085',
  '\u{1F600}\u{1F600}',
].flatMap((text) => [text, ` ${text} `, `\t${text}`])

describe('the schema of a trimmed text', () => {
  it.each([
    z.string().trim(),
    z.string().trim().min(1),
    z.string().trim().min(3),
    z.string().trim().max(0),
    z.string().trim().max(1),
    z.string().trim().max(3),
    z.string().trim().min(1).max(1),
    z.string().trim().min(1).max(3),
    z.string().trim().min(2).max(2),
    z.string().trim().min(2).max(4),
    z.string().max(3).trim().min(1),
    z.string().min(2).trim().max(3),
    z.string().min(2).max(4).trim(),
    z.string().trim().min(1).min(2).max(4).max(3),
  ])('accepts what the validator accepts (%#)', (schema) => {
    const accepts = new Ajv2020().compile(createSchemaComponents().toInput(schema))
    for (const text of texts) {
      expect([text, accepts(text)]).toEqual([text, schema.safeParse(text).success])
    }
  })
})
