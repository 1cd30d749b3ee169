import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { toErrorItems, toPointer } from './to-error-items.ts'

function itemsOf(schema: z.ZodType, value: unknown): unknown {
  const result = schema.safeParse(value)
  if (result.success) throw new Error('The value is valid.')
  return toErrorItems(result.error, 'body')
}

describe('toErrorItems', () => {
  const schema = z.strictObject({ password: z.string().min(8), tags: z.array(z.int()) })

  it('ERR-05 names field and rule, never the value', () => {
    const items = itemsOf(schema, { password: 'hunter2', tags: [1, 'x'] })
    expect(items).toMatchObject([
      { in: 'body', pointer: '#/password', code: 'too_small' },
      { in: 'body', pointer: '#/tags/1', code: 'invalid_type' },
    ])
    expect(JSON.stringify(items)).not.toContain('hunter2')
  })

  it('names every unknown key by its own item', () => {
    expect(itemsOf(schema, { password: '12345678', tags: [], a: 1, 'b/c': 2 })).toMatchObject([
      { pointer: '#/a', code: 'unrecognized_key' },
      { pointer: '#/b~1c', code: 'unrecognized_key' },
    ])
  })

  it('points at the whole body when it is no object', () => {
    expect(itemsOf(schema, 'text')).toMatchObject([{ pointer: '#' }])
  })
})

describe('toPointer', () => {
  it('escapes by RFC 6901', () => {
    expect(toPointer(['a~b', 'c d', 0])).toBe('#/a~0b/c%20d/0')
  })
})
