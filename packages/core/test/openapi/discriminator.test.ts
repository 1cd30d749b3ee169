import { type Response } from 'express'
import { expect, it } from 'vitest'
import { z } from 'zod'
import { createApi, createRegistry, createRouter, post, success } from '../../src/index.ts'

function describeUnion(schema: z.ZodObject['shape'][string]) {
  const body = z.strictObject({ item: schema })
  const route = post('/', { access: 'public', body, response: body }, (req, res: Response) =>
    success(res, req.valid.body),
  )
  const routes = createRegistry().use('/api/things', createRouter([route]))
  const { openapi } = createApi({ routes, auth: false, database: false, log: { level: 'silent' } })
  return JSON.stringify(openapi)
}

const book = z.strictObject({ kind: z.literal('bk'), pages: z.int() })
const film = z.strictObject({ kind: z.enum(['film', 'video']), minutes: z.int() })

it('a union of components has a discriminator with the component of each value', () => {
  const options = [book.meta({ id: 'Book' }), film.meta({ id: 'Film' })] as const
  const text = describeUnion(z.discriminatedUnion('kind', options))
  const [input, output] = ['Input', ''].map((suffix) => ({
    propertyName: 'kind',
    mapping: {
      bk: `#/components/schemas/Book${suffix}`,
      film: `#/components/schemas/Film${suffix}`,
      video: `#/components/schemas/Film${suffix}`,
    },
  }))
  const found = [...text.matchAll(/"discriminator":(\{"propertyName":.*?\}\})/g)].map(
    ([, one = '']) => JSON.parse(one),
  )
  for (const one of found) expect([input, output]).toContainEqual(one)
  expect(found.length).toBeGreaterThanOrEqual(2)
  for (const name of text.matchAll(/"#\/components\/schemas\/(\w+)"/g)) {
    expect(text).toContain(`"${name[1]}":{`)
  }
})

it.each([
  z.discriminatedUnion('kind', [book, film]),
  z.discriminatedUnion('of', [
    z.strictObject({ of: z.literal(1) }).meta({ id: 'One' }),
    z.strictObject({ of: z.literal(2) }).meta({ id: 'Two' }),
  ]),
])('a union of inline schemas, or by a number, has none', (schema) => {
  const text = describeUnion(schema)
  expect(text).not.toContain('discriminator')
  expect(text).not.toContain('x-options')
})
