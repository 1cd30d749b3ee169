import { describe, expect, it } from 'vitest'
import { instant, defineListQuery, toOutputSchema } from '../../resource.ts'
import { z } from 'zod'
import { createSerializer } from '../response/serializer.ts'

describe('instant', () => {
  const created = z.strictObject({ at: instant })
  const write = createSerializer(toOutputSchema(created).pick({ at: true }))

  it.each([
    ['2026-01-31T12:00:00+01:00', '2026-01-31T11:00:00.000Z'],
    ['0000-01-01T00:00:00Z', '0000-01-01T00:00:00.000Z'],
    ['9999-12-31T23:59:59.999Z', '9999-12-31T23:59:59.999Z'],
  ])('accepts %s and stores %s', (text, written) => {
    const { at } = created.parse({ at: text })
    expect(write({ at: new Date(at) })).toEqual({ at: written })
  })

  it.each(['9999-12-31T23:59:59-00:01', '0000-01-01T00:00:00+00:01'])(
    'rejects %s, whose year does not have four digits in UTC',
    (text) => {
      expect(instant.safeParse(text).error?.issues).toMatchObject([
        { message: 'must be in the years 0000 to 9999 in UTC' },
      ])
    },
  )

  it('reports text that is not a date and time once', () => {
    expect(instant.safeParse('2026-02-30T00:00:00Z').error?.issues).toHaveLength(1)
  })

  it('can be used in filters', () => {
    const list = defineListQuery(z.object({ at: instant }), { filters: ['at'] })
    expect(list.safeParse({ 'at[gte]': '2026-01-31T12:00:00Z' }).success).toBe(true)
  })
})
