import { z } from 'zod'

const text = (max: number): z.ZodString => z.string().trim().min(1).max(max)

const username = z.string().regex(/^[\w-]{2,30}$/u)
const email = z.email().max(254).toLowerCase()
const password = z.string().min(8).max(128)
const bio = z.string().max(1000).nullable()
const image = z.url().max(500).nullable()

/** Bodies of requests, without their envelopes. */
export const newUser = z.strictObject({ username, email, password })
export const credentials = z.strictObject({ email, password: z.string().max(128) })
export const userChanges = z.strictObject({ username, email, password, bio, image }).partial()
export const newArticle = z.strictObject({
  title: text(200),
  description: text(500),
  body: text(50_000),
  tagList: z.array(text(30)).max(10).default([]),
})
export const articleChanges = newArticle.omit({ tagList: true }).partial()
export const newComment = z.strictObject({ body: text(5000) })

/** Parameters of paths. */
export const slugParams = z.object({ slug: z.string().max(250) })
export const profileParams = z.object({ username: z.string().max(30) })
export const commentParams = slugParams.extend({ id: z.coerce.number().int().positive() })

/** Parses the page of a list. */
const page = {
  limit: z.coerce.number().int().min(1).max(100).default(20),
  offset: z.coerce.number().int().min(0).max(10_000).default(0),
}
export const feedQuery = z.strictObject(page)
export const articlesQuery = z.strictObject({
  ...page,
  tag: z.string().max(30).optional(),
  author: z.string().max(30).optional(),
  favorited: z.string().max(30).optional(),
})
