import {
  decimal,
  defineListQuery,
  emailAddress,
  instant,
  objectId,
  toOutputSchema,
  toPatchSchema,
  webUrl,
} from '@create-api/core/resource'
import { z } from 'zod'

/** What a client sends to create a post. */
export const createPost = z.strictObject({
  title: z.string().max(200).trim().min(1),
  slug: z.string().max(200).trim().min(1),
  status: z.enum(['draft', 'live']),
  tags: z.array(z.string().max(200).trim().min(1)).max(100).default([]),
  author: objectId,
  summary: z.string().max(10_000).optional(),
  publishedAt: instant.optional(),
  eventOn: z.iso.date().optional(),
  views: z.int().min(0).max(1_000_000).default(0),
  rating: z.number().min(Number.MIN_SAFE_INTEGER).max(Number.MAX_SAFE_INTEGER).optional(),
  contact: emailAddress.optional(),
  code: z.uuid().optional(),
  place: z
    .strictObject({
      city: z.string().max(200).trim().min(1),
      zip: z.string().max(200).trim().optional(),
    })
    .optional(),
  lines: z
    .array(z.strictObject({ sku: z.string().max(200).trim().min(1), count: z.int() }))
    .max(100)
    .default([]),
  meta: z.record(z.string().max(200), z.unknown()).optional(),
  extra: z.unknown().optional(),
  price: decimal(),
  site: webUrl.optional(),
  done: z.boolean(),
})

/** What a client sends to replace a post: PUT replaces the document, so omitted optional fields are removed. */
export const replacePost = createPost

/** What a client sends to change a post: JSON Merge Patch, where null removes an optional field. */
export const patchPost = toPatchSchema(createPost)

/** What a client receives: the fields above and id, createdAt and updatedAt. */
export const post = toOutputSchema(createPost)

/** Filters and sort fields of the list; each has an index in the model. */
export const listPosts = defineListQuery(post, {
  filters: [
    'title',
    'slug',
    'status',
    'tags',
    'author',
    'publishedAt',
    'eventOn',
    'views',
    'rating',
    'contact',
    'code',
    'price',
    'done',
    'createdAt',
  ],
  sort: ['createdAt', 'title', 'publishedAt', 'eventOn', 'views', 'rating', 'contact', 'price'],
  collation: { locale: 'en', strength: 2 },
})

/** Path parameters of one post. */
export const postParams = z.strictObject({ slug: createPost.shape.slug })

/** @typedef {z.output<typeof createPost>} CreatePost */
/** @typedef {z.output<typeof replacePost>} ReplacePost */
/** @typedef {z.output<typeof patchPost>} PatchPost */
/** @typedef {z.output<typeof post>} PostOutput */
/** @typedef {z.output<typeof listPosts>} ListPosts */
/** @typedef {z.output<typeof postParams>} PostParams */
