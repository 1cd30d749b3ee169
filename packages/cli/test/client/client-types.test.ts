import { type Failure, type PreconditionFailure } from '@create-api/client'
import { expectTypeOf, it } from 'vitest'
import {
  type Client,
  type CreatePost,
  type ListPostsQuery,
  type Post,
  type PostPage,
  type PostView,
  type UpdatePostFailure,
} from '../../../../examples/blog/src/client.js'

type Posts = Client['posts']

it('types what a call takes and returns', () => {
  expectTypeOf<Parameters<Posts['create']>[0]>().toEqualTypeOf<CreatePost>()
  expectTypeOf<Awaited<ReturnType<Posts['create']>>>().toEqualTypeOf<Post>()
  expectTypeOf<Parameters<Posts['list']>[0]>().toEqualTypeOf<ListPostsQuery | undefined>()
  expectTypeOf<Awaited<ReturnType<Posts['list']>>>().toEqualTypeOf<PostPage>()
  expectTypeOf<ReturnType<Posts['each']>>().toEqualTypeOf<AsyncIterable<PostView>>()
  expectTypeOf<Awaited<ReturnType<Posts['delete']>>>().toEqualTypeOf<void>()
  expectTypeOf<Parameters<Posts['patch']>[0]>().toEqualTypeOf<string | { readonly id: string }>()
  expectTypeOf<Parameters<Client['comments']['list']>[0]>().toEqualTypeOf<string>()
})

it('types failures by code', () => {
  type Code = UpdatePostFailure['code']
  expectTypeOf<'duplicate'>().toExtend<Code>()
  expectTypeOf<'email_taken'>().not.toExtend<Code>()
  expectTypeOf<Extract<UpdatePostFailure, { code: 'precondition_failed' }>>().toEqualTypeOf<
    PreconditionFailure<PostView>
  >()
  type Invalid = Extract<UpdatePostFailure, { code: 'validation_failed' }>
  expectTypeOf<Invalid['errors'][number]['pointer']>().toEqualTypeOf<string>()
  expectTypeOf<Extract<UpdatePostFailure, { code: 'not_found' }>>().toEqualTypeOf<
    Failure<'not_found', 404>
  >()
})

it('narrows the meta of a page', () => {
  const read = (page: PostPage): number | undefined =>
    'page' in page.meta ? page.meta.total : undefined
  expectTypeOf(read).returns.toEqualTypeOf<number | undefined>()
})

it('refuses misuse', () => {
  // Compiled only.
  const misuse = async ({ posts }: Client, post: Post): Promise<void> => {
    // @ts-expect-error -- a field that does not exist
    await posts.patch(post, { titel: 'a' })
    // @ts-expect-error -- a value of another type
    await posts.list({ limit: '5' })
    // @ts-expect-error -- a status that does not exist
    await posts.list({ status: 'nope' })
    // @ts-expect-error -- members are missing
    await posts.create({ title: 'a' })
    // @ts-expect-error -- no id
    await posts.get()
    // @ts-expect-error -- the session renews tokens
    void posts.refreshToken
    const result = await posts.create(post).safe()
    // @ts-expect-error -- there may be none
    void result.data
    // @ts-expect-error -- a code that creating cannot fail with
    if (!result.ok) void (result.error.code === 'email_taken')
  }
  expectTypeOf(misuse).toBeFunction()
})
