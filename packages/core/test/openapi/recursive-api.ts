import { z } from 'zod'
import { createApi, createRegistry, createRouter, success } from '../../src/index.ts'
import { toOutputSchema, toPatchSchema } from '../../src/resource.ts'

const category = z.strictObject({
  name: z.string(),
  since: z.date().optional(),
  get children() {
    return z.array(category).optional()
  },
})

interface Chain {
  readonly next: Chain | null
}
const chain: z.ZodType<Chain> = z.lazy(() => z.strictObject({ next: chain.nullable() }))

const summary = z.strictObject({ id: z.string(), title: z.string() })
const article = z.strictObject({ ...summary.shape, categories: z.array(category), chain })
const published = z.strictObject({ published: z.boolean() })

const tree = {
  name: 'a',
  children: [{ name: 'b', since: new Date(0), children: [{ name: 'c' }] }],
}
export const sent = {
  name: 'a',
  children: [{ name: 'b', since: '1970-01-01T00:00:00.000Z', children: [{ name: 'c' }] }],
}
export const shown = { id: '1', title: 't', categories: [tree], chain: { next: { next: null } } }

const categories = createRouter((route) => [
  route.get('/', { access: 'public', response: category.array() }, (_req, res) => {
    success(res, [tree])
  }),
  route.post(
    '/',
    { access: 'public', body: category, response: category, status: 201 },
    (req, res) => {
      const stored = { ...req.valid.body, secret: 1 }
      success(res.status(201), stored)
    },
  ),
  route.patch(
    '/',
    {
      access: 'public',
      body: toPatchSchema(category),
      response: toOutputSchema(category).partial(),
    },
    (req, res) => {
      success(res, req.valid.body)
    },
  ),
])

const articles = createRouter((route) => [
  route.get('/', { access: 'public', response: summary.array() }, (_req, res) =>
    success(res, [shown]),
  ),
  route.get('/:id', { access: 'public', response: article }, (_req, res) => success(res, shown)),
  route.put('/:id', { access: 'public', response: published }, (_req, res) => {
    success(res, { published: true })
  }),
])

/** An API whose documents contain trees. */
export const api = createApi({
  name: 'trees',
  routes: createRegistry().use('/api/articles', articles).use('/api/categories', categories),
})
