import { z } from 'zod'

/** What responses contain. */
export const user = z.object({
  email: z.string(),
  token: z.string(),
  username: z.string(),
  bio: z.string().nullable(),
  image: z.string().nullable(),
})
export const profile = user.omit({ email: true, token: true }).extend({ following: z.boolean() })
export const article = z.object({
  slug: z.string(),
  title: z.string(),
  description: z.string(),
  body: z.string(),
  tagList: z.array(z.string()),
  createdAt: z.iso.datetime(),
  updatedAt: z.iso.datetime(),
  favorited: z.boolean(),
  favoritesCount: z.int(),
  author: profile,
})
export const listedArticle = article.omit({ body: true })
export const comment = z.object({
  id: z.int(),
  body: z.string(),
  createdAt: z.iso.datetime(),
  updatedAt: z.iso.datetime(),
  author: profile,
})
