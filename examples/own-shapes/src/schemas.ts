import { z } from 'zod'

const blank = { error: "can't be blank", abort: true }
const text = (max: number): z.ZodString => z.string().trim().min(1, blank).max(max)
// Empty text removes the value.
const orNull = (value: string | null): string | null => value || null

const username = z
  .string()
  .min(1, blank)
  .regex(/^[\w-]{2,30}$/u)
const email = z.string().min(1, blank).max(254).toLowerCase().check(z.email())
const password = z.string().min(1, blank).min(8).max(128)
const bio = z.string().max(1000).nullable().transform(orNull)
const image = z.literal('').or(z.url().max(500)).nullable().transform(orNull)
const tagList = z
  .array(text(30))
  .max(10)
  .overwrite((tags) => tags.toSorted())

/** Bodies of requests, without their envelopes. */
export const newUser = z.strictObject({ username, email, password })
export const credentials = z.strictObject({
  email: z.string().min(1, blank).max(254).toLowerCase(),
  password: z.string().min(1, blank).max(128),
})
export const userChanges = z.strictObject({ username, email, password, bio, image }).partial()
const writing = { title: text(200), description: text(500), body: text(50_000) }
export const newArticle = z.strictObject({ ...writing, tagList: tagList.default([]) })
export const articleChanges = z.strictObject({ ...writing, tagList }).partial()
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
