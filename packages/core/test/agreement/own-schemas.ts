import { z } from 'zod'
import {
  type Api,
  createApi,
  createRegistry,
  createRouter,
  multipart,
  success,
} from '../../src/index.ts'

// Schemas that no generator writes: every type that JSON or text can carry, unions and recursion.

const texts = {
  whole: z.int(),
  small: z.int32().min(-3).max(7),
  real: z.number().min(-1.5).max(1e6),
  flag: z.boolean(),
  day: z.iso.date(),
  moment: z.date(),
  recent: z.date().min(new Date('1970-01-01T00:00:00Z')).max(new Date('2100-01-01T00:00:00Z')),
  big: z.bigint(),
  long: z.int64(),
  few: z.bigint().min(-2n).max(12n),
  level: z.literal([1, 2, 3]),
  same: z.literal(['1', 1, true]),
  exact: z.literal([9007199254740993n, -1n]),
  mode: z.enum(['on', 'off']),
  either: z.union([z.int(), z.enum(['all', 'none'])]),
  mixed: z.union([z.boolean(), z.date(), z.bigint()]),
  never: z.nullable(z.int()),
  preset: z.int().default(3),
}
const lists = {
  wholes: z.array(z.int()),
  flags: z.array(z.boolean()).max(2),
  moments: z.array(z.date()).optional(),
  words: z.array(z.string().min(1)).min(2),
  modes: z.array(z.enum(['on', 'off'])).default([]),
}

const Category = z.strictObject({
  name: z.string().min(1),
  since: z.date().optional(),
  get children() {
    return z.array(Category).max(3).optional()
  },
})

const Person = z.strictObject({
  name: z.string(),
  get posts() {
    return z.array(Post)
  },
})
const Post = z.strictObject({
  title: z.string(),
  likes: z.bigint(),
  get author() {
    return Person.nullable()
  },
})

type Chain = { readonly next: Chain | null; readonly count: number }
const Chain: z.ZodType<Chain> = z.lazy(() =>
  z.strictObject({ next: Chain.nullable(), count: z.int() }),
)

const bodies = {
  values: z.strictObject({ ...texts, ...lists }).partial(),
  required: z.strictObject({ moment: z.date(), big: z.bigint(), rows: z.array(z.int64()) }),
  union: z.strictObject({
    pay: z.discriminatedUnion('kind', [
      z.strictObject({ kind: z.literal('card'), due: z.date(), holder: z.string().optional() }),
      z.strictObject({ kind: z.literal('bank'), cents: z.bigint().nullable() }),
    ]),
  }),
  record: z.strictObject({ stamps: z.record(z.string(), z.date()) }),
  tuple: z.strictObject({ pair: z.tuple([z.date(), z.bigint()], z.int()) }),
  category: Category,
  nested: z.strictObject({ category: Category, featured: z.array(Category) }),
  mutual: z.strictObject({ post: Post }),
  chain: z.strictObject({ chain: Chain }),
  parts: z.intersection(z.object({ at: z.date() }), z.object({ count: z.bigint() })),
}

/** Creates an API whose routes take these schemas in queries, paths, forms and JSON. */
export function createOwnApi(): Api {
  const routes = createRouter((route) => [
    ...Object.entries({ ...texts, ...lists }).map(([name, schema]) =>
      route.get(
        `/${name}/ownsamples`,
        {
          access: 'public',
          query: z.strictObject({ [name]: schema }),
        },
        (_req, res) => success(res),
      ),
    ),
    ...Object.entries(texts).map(([name, schema]) =>
      route.get(
        `/${name}/paths/:${name}`,
        {
          access: 'public',
          params: z.strictObject({ [name]: schema }),
        },
        (_req, res) => success(res),
      ),
    ),
    ...Object.entries(bodies).map(([name, body]) =>
      route.post(
        `/${name}/ownsamples`,
        {
          access: 'public',
          body,
        },
        (_req, res) => success(res),
      ),
    ),
    route.post(
      '/forms/ownsamples',
      {
        access: 'public',
        body: multipart({
          fields: z.strictObject({ ...texts, ...lists }).partial(),
          files: { photo: { required: false } },
        }),
      },
      (_req, res) => success(res),
    ),
  ])
  return createApi({ name: 'own-schemas', routes: createRegistry().use('/api', routes) })
}
