// What the pages below docs/ use and do not show, such as a resource of the reader. `code-blocks.system.test.ts` makes these names
// global; what the framework exports takes precedence.
import {
  type Api,
  type ApiRequest,
  type Registry,
  type Router,
  type User,
  type UserRequest,
} from '@create-api/core'
import {
  type PasskeyLogin,
  type PasskeyReauthentication,
  type PasskeyRegistration,
} from '@create-api/client/passkeys'
import { type ListChange } from '@create-api/client/live'
import { type Auth } from '@create-api/core/auth'
import {
  defineListQuery,
  type IfMatch,
  type ListQuery,
  toOutputSchema,
  type ViewQuery as CoreViewQuery,
} from '@create-api/core/resource'
import { type TestClient, type TestUser } from '@create-api/core/testing'
import { type Job } from '@create-api/jobs'
import { type Event, type EventHandler } from '@create-api/jobs/events'
import { type PublishedEvent, type Webhooks } from '@create-api/webhooks'
import { type Express, type RequestHandler, type Response } from 'express'
import type mongooseModule from 'mongoose'
import { type Model } from 'mongoose'
import type * as vitest from 'vitest'
import { z as zod } from 'zod'
import type * as posts from '../../../examples/blog/src/resources/posts/posts.model.ts'
import type * as validation from '../../../examples/blog/src/resources/posts/posts.validation.ts'

interface Credentials {
  user: { email: string; password: string }
}

type Handler<Input extends object> = (req: ApiRequest<Input>, res: Response) => void
type SlugHandler = Handler<{ params: { slug: string } }>

type PasskeyRoutes = PasskeyLogin<object> & PasskeyReauthentication & PasskeyRegistration<object>

// Modules of others.
export declare const z: typeof zod
export declare const mongoose: typeof mongooseModule
export declare const model: typeof mongooseModule.model
export declare const Schema: typeof mongooseModule.Schema
export declare const expect: typeof vitest.expect

// The application.
export declare const app: Express
export declare const api: Api
export declare const auth: Auth
export declare const routes: Registry
export declare const audit: RequestHandler
export declare const featureFlags: RequestHandler
export declare const findTenant: RequestHandler
export declare const session: RequestHandler
export declare function findUserOfSession(id: string | undefined): Promise<User | undefined>
export declare function parseCookie(header: string): Readonly<Record<string, string>>

// A handler and what it reads.
export declare const list: (req: UserRequest, res: Response) => void
export declare const req: UserRequest<{ body: Credentials; query: ListQuery }>
export declare const id: string
export declare const query: ListQuery
export declare const match: IfMatch

// Posts.
export declare const PostModel: typeof posts.PostModel
export declare const createPost: typeof validation.createPost
export declare const replacePost: typeof validation.replacePost
export declare const patchPost: typeof validation.patchPost
export const post = toOutputSchema(zod.object({ title: zod.string(), author: zod.string() }))
export const author = zod.object({ id: zod.string(), name: zod.string() })
export declare const input: validation.CreatePost
export declare const postsRouter: Router
export declare const TagModel: Model<{ name: string; posts: mongooseModule.Types.ObjectId[] }>
export type ListPosts = ReturnType<ReturnType<typeof defineListQuery>['parse']>
export type ViewQuery = CoreViewQuery

// A generated client of a live list.
interface ClientPost {
  readonly id: string
  readonly title: string
}
interface PostsQuery {
  readonly status?: string
}
interface LiveClient {
  readonly posts: {
    list(
      query?: PostsQuery & { sort?: string; limit?: number },
    ): Promise<{ data: readonly ClientPost[] }>
    changes(query?: PostsQuery): AsyncGenerator<ListChange<ClientPost>>
  }
}

// Jobs and events.
export declare const userId: string
export declare const postId: string
export declare const order: string
export declare const imageId: string
export declare const UserModel: Model<{ points: number }>
export declare const OrderModel: Model<{ status: string }>
export declare const ImageModel: Model<{ status: string }>
export declare const sendWelcome: Job<{ userId: string }>
export declare const purge: Job<object>
export declare const postPublished: Event<{ postId: string }>
export declare const indexPost: EventHandler
export declare function listFiles(userId: string): Promise<string[]>
export declare function removeFiles(userId: string): Promise<void>
export declare const publishedPost: PublishedEvent
export declare const webhooks: Webhooks
export declare function sendMail(userId: string): Promise<void>
export declare function updateIndex(postId: string): Promise<void>

// Articles.
export const article = zod.object({ slug: zod.string(), title: zod.string() })
export const createArticle = article
export const listArticles = defineListQuery(toOutputSchema(article))
export const slugParams = article.pick({ slug: true })
export declare const ArticleModel: Model<{ slug: string; title: string; owner: string }>
export declare const CommentModel: Model<{ article: mongooseModule.Types.ObjectId; body: string }>
export declare const articles: {
  list: Handler<{ query: ListQuery }>
  show: SlugHandler
  create: Handler<{ body: zod.infer<typeof createArticle> }>
  remove: SlugHandler
}
export const createOrder = zod.object({ item: zod.string() })

// Tests.
export declare const client: TestClient & LiveClient & { readonly auth: PasskeyRoutes }
// Of an authenticator application.
export declare const secret: string
export declare const owner: TestUser
export declare const user: TestUser['user']
export declare const other: TestUser['user']
