// Written in the form that `api client` will write it.
import {
  type ApiClient,
  type Call,
  type CallOptions,
  type ClientOptions,
  createApiClient,
  type EachOptions,
  type Failure,
  type Operations,
  type PreconditionFailure,
} from '@create-api/client'

export interface User {
  id: string
  email: string
  roles: string[]
  emailVerified: boolean
  createdAt: string
}

export interface Credentials {
  email: string
  password: string
}

export interface AuthSession {
  user: User
  accessToken: string
  tokenType: 'Bearer'
  expiresIn: number
}

export interface Author {
  id: string
  name: string
  bio?: string
  createdAt: string
  updatedAt: string
}

export interface CreateAuthor {
  name: string
  bio?: string
}

export interface Post {
  id: string
  title: string
  slug: string
  body: string
  status: 'draft' | 'published'
  tags: string[]
  author: string
  createdAt: string
  updatedAt: string
}

export interface CreatePost {
  title: string
  slug: string
  body: string
  status: 'draft' | 'published'
  tags?: string[]
  author: string
}

export type PatchPost = Partial<CreatePost>

export interface PostPage {
  data: Post[]
  meta: { limit: number; nextCursor?: string | null }
}

export interface ListPostsQuery {
  limit?: number
  cursor?: string
  sort?: string
  status?: 'draft' | 'published'
  q?: string
}

type Refused = Failure<'unauthenticated' | 'invalid_token' | 'token_expired', 401>
type Unavailable =
  | Failure<'rate_limited', 429>
  | Failure<'internal_error', 500>
  | Failure<'service_unavailable' | 'overloaded', 503>
  | Failure<'timeout', 504>
export type LoginFailure =
  | Failure<'invalid_credentials', 401>
  | Failure<'validation_failed', 422>
  | Unavailable
export type RegisterFailure =
  | Failure<'email_taken', 409>
  | Failure<'validation_failed' | 'password_too_common', 422>
  | Unavailable
export type CreateAuthorFailure = Failure<'validation_failed', 422> | Refused | Unavailable
export type ListPostsFailure = Failure<'invalid_query', 400> | Refused | Unavailable
export type GetPostFailure = Failure<'not_found', 404> | Refused | Unavailable
export type CreatePostFailure =
  | Failure<'duplicate', 409>
  | Failure<'validation_failed', 422>
  | Refused
  | Unavailable
export type PatchPostFailure =
  | Failure<'not_found', 404>
  | Failure<'conflict' | 'duplicate', 409>
  | PreconditionFailure<Post>
  | Failure<'validation_failed', 422>
  | Refused
  | Unavailable
export type DeletePostFailure = GetPostFailure | PreconditionFailure<Post>

export interface AuthClient {
  login(body: Credentials, options?: CallOptions): Call<AuthSession, LoginFailure>
  register(body: Credentials, options?: CallOptions): Call<AuthSession, RegisterFailure>
}

export interface AuthorsClient {
  create(body: CreateAuthor, options?: CallOptions): Call<Author, CreateAuthorFailure>
}

export interface PostsClient {
  list(query?: ListPostsQuery, options?: CallOptions): Call<PostPage, ListPostsFailure>
  each(query?: Omit<ListPostsQuery, 'cursor' | 'limit'>, options?: EachOptions): AsyncIterable<Post>
  pages(
    query?: Omit<ListPostsQuery, 'cursor' | 'limit'>,
    options?: EachOptions,
  ): AsyncIterable<PostPage>
  get(id: string, options?: CallOptions): Call<Post, GetPostFailure>
  create(body: CreatePost, options?: CallOptions): Call<Post, CreatePostFailure>
  patch(post: string | Post, body: PatchPost, options?: CallOptions): Call<Post, PatchPostFailure>
  delete(post: string | Post, options?: CallOptions): Call<void, DeletePostFailure>
}

export interface Client extends ApiClient {
  readonly auth: AuthClient
  readonly authors: AuthorsClient
  readonly posts: PostsClient
}

const operations = {
  auth: {
    login: { method: 'POST', path: '/api/v1/auth/login', body: 'application/json', data: 'data' },
    register: {
      method: 'POST',
      path: '/api/v1/auth/register',
      body: 'application/json',
      data: 'data',
    },
  },
  authors: {
    create: {
      method: 'POST',
      path: '/api/authors',
      body: 'application/json',
      data: 'data',
      idempotent: true,
    },
  },
  posts: {
    list: { method: 'GET', path: '/api/posts', query: true, cursor: true },
    get: { method: 'GET', path: '/api/posts/{id}', data: 'data' },
    create: {
      method: 'POST',
      path: '/api/posts',
      body: 'application/json',
      data: 'data',
      idempotent: true,
    },
    patch: {
      method: 'PATCH',
      path: '/api/posts/{id}',
      body: 'application/merge-patch+json',
      data: 'data',
    },
    delete: { method: 'DELETE', path: '/api/posts/{id}' },
  },
} as const satisfies Operations

/** Creates a client of the API. */
export function createClient(options: ClientOptions): Client {
  return createApiClient<Client>(operations, options)
}
