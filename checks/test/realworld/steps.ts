import { z } from 'zod'

export interface Step {
  readonly title: string
  readonly send: `${'GET' | 'POST' | 'PUT' | 'DELETE'} /${string}`
  /** The variable of the token that is sent. */
  readonly as?: string
  readonly body?: object
  readonly status: number
  /** The exact members of the response and their types; an empty response without it. */
  readonly shape?: keyof typeof shapes
  /** Values of the response. */
  readonly matches?: object
  /** Paths in the response, and the value that each must not have. */
  readonly differs?: Readonly<Record<string, string>>
  /** Paths of lists in the response, and an item of each. */
  readonly contains?: Readonly<Record<string, string>>
  /** Names of variables, and the path of each in the response. Text in braces is replaced by them: `{slug}`. */
  readonly save?: Readonly<Record<string, string>>
}

const date = z.string().regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/u)
const nullable = z.string().min(1).nullable()
const profile = z.strictObject({
  username: z.string(),
  bio: nullable,
  image: nullable,
  following: z.boolean(),
})
const listedArticle = z.strictObject({
  slug: z.string().min(1),
  title: z.string(),
  description: z.string(),
  tagList: z.array(z.string()),
  createdAt: date,
  updatedAt: date,
  favorited: z.boolean(),
  favoritesCount: z.int().min(0),
  author: profile,
})
const comment = z.strictObject({
  id: z.int(),
  createdAt: date,
  updatedAt: date,
  body: z.string(),
  author: profile,
})

export const shapes = {
  user: z.strictObject({
    user: z.strictObject({
      username: z.string(),
      email: z.string(),
      bio: nullable,
      image: nullable,
      token: z.string().min(1),
    }),
  }),
  profile: z.strictObject({ profile }),
  article: z.strictObject({ article: listedArticle.extend({ body: z.string() }) }),
  articles: z.strictObject({ articles: z.array(listedArticle), articlesCount: z.int().min(0) }),
  comment: z.strictObject({ comment }),
  comments: z.strictObject({ comments: z.array(comment) }),
  tags: z.strictObject({ tags: z.array(z.string()) }),
  errors: z.strictObject({ errors: z.record(z.string(), z.array(z.string()).min(1)) }),
} satisfies Record<string, z.ZodType>

// The password that the project's collection registers its users with.
export const password = 'password'

export function register(name: string): Step {
  return {
    title: `register ${name}`,
    send: 'POST /users',
    body: { user: { username: `${name}_{run}`, email: `${name}_{run}@example.org`, password } },
    status: 201,
    shape: 'user',
    matches: { user: { username: `${name}_{run}`, email: `${name}_{run}@example.org` } },
    save: { [name]: 'user.token' },
  }
}

export function publish(as: string, title: string, variable = 'slug', tagList?: string[]): Step {
  const text = { title, description: 'In short', body: 'At length' }
  return {
    title: `publish "${title}"`,
    send: 'POST /articles',
    as,
    body: { article: { ...text, ...(tagList && { tagList }) } },
    status: 201,
    shape: 'article',
    matches: { article: { ...text, tagList: (tagList ?? []).toSorted() } },
    save: { [variable]: 'article.slug' },
  }
}

export function comments(as: string, body: string, variable: string): Step {
  return {
    title: `comment "${body}"`,
    send: 'POST /articles/{slug}/comments',
    as,
    body: { comment: { body } },
    status: 201,
    shape: 'comment',
    matches: { comment: { body, author: { username: `${as}_{run}` } } },
    save: { [variable]: 'comment.id' },
  }
}

type Refusal = Pick<Step, 'send' | 'as' | 'body'>

export function refuse(status: number, errors: object | undefined, refusal: Refusal): Step {
  const title = `${refusal.send} ${JSON.stringify(refusal.body ?? '')} is ${status}`
  return { ...refusal, title, status, shape: 'errors', ...(errors && { matches: { errors } }) }
}

export const blank = ["can't be blank"]
export const missing = { token: ['is missing'] }
export const noArticle = { article: ['not found'] }
