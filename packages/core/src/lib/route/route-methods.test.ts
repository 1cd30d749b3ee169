import { defineRule } from '../access/access.ts'
import { type Response } from 'express'
import { describe, expect, expectTypeOf, it } from 'vitest'
import { z } from 'zod'
import { createRouter } from '../routing/create-router.ts'
import { type User } from '../access/caller.ts'
import { type ApiRequest, type UserRequest } from './request.ts'
import { type OpenRoute, type Route } from './route.ts'
import { del, get, patch, post, put } from './route-methods.ts'

const params = z.strictObject({ slug: z.string() })
const body = z.strictObject({ title: z.string() })

function index(_req: ApiRequest, _res: Response): void {}
function show(_req: UserRequest<{ params: { slug: string } }>, _res: Response): void {}
function create(_req: ApiRequest<{ body: { title: string } }>, _res: Response): void {}

describe('get, post, put, patch and del', () => {
  it('return the route that defineRoute returns', () => {
    const route = get('/:slug', { access: 'user', params, summary: 'Show' }, show)
    expectTypeOf(route).toEqualTypeOf<Route>()
    expect(route).toEqual({
      method: 'get',
      path: '/:slug',
      access: 'user',
      params,
      summary: 'Show',
      handler: show,
    })
    const methods = [get, post, put, patch, del].map((define) => define('/', index).method)
    expect(methods).toEqual(['get', 'post', 'put', 'patch', 'delete'])
  })

  it('define a route of a path and a handler', () => {
    expect(get('/', index)).toEqual({ method: 'get', path: '/', handler: index })
  })

  it('type the request of the handler from the schemas', () => {
    post(
      '/:slug',
      { access: 'public', params, query: z.object({ q: z.string() }), body },
      (req) => {
        expectTypeOf(req.valid.params).toEqualTypeOf<{ slug: string }>()
        expectTypeOf(req.valid.query).toEqualTypeOf<{ q: string }>()
        expectTypeOf(req.valid.body).toEqualTypeOf<{ title: string }>()
        expectTypeOf(req.user).toEqualTypeOf<User | undefined>()
      },
    )
    get('/', { access: 'user' }, (req) => {
      expectTypeOf(req.user).toEqualTypeOf<User>()
      expectTypeOf(req.valid.params).toEqualTypeOf<undefined>()
      expectTypeOf(req.valid.body).toEqualTypeOf<undefined>()
    })
    const open = get('/', (req) => {
      expectTypeOf(req.user).toEqualTypeOf<User | undefined>()
    })
    expect(open.access).toBeUndefined()
  })

  it('type the document that a route loads', () => {
    const load = async ({ slug }: { slug: string }) => ({ slug, editors: ['1'] })
    const access = defineRule('editors', (user) => ({ editors: user.id }))
    const route = get('/:slug', { params, load, access }, (req) => {
      expectTypeOf(req.document.editors).toEqualTypeOf<string[]>()
      expectTypeOf(req.user).toEqualTypeOf<User>()
    })
    expectTypeOf(route).toEqualTypeOf<Route>()
    expect(route.access).toBe(access)
  })

  it('refuse a handler that needs what neither route nor router can provide', () => {
    const refused = [
      // @ts-expect-error a public route may have no caller
      get('/:slug', { access: 'public', params }, show),
      // @ts-expect-error there is no body
      post('/', { access: 'user' }, create),
      // @ts-expect-error there is no body
      post('/', create),
      // @ts-expect-error the path has no parameter
      get('/', show),
      // @ts-expect-error the params have no such field
      get('/:slug', { params: z.strictObject({ id: z.string() }) }, show),
    ]
    expect(refused).toHaveLength(5)
  })
})

describe('createRouter with defaults', () => {
  it('completes routes; their own values take precedence', () => {
    const before = [(): void => {}]
    const own = z.strictObject({ slug: z.literal('own') })
    const envelope = (article: unknown): unknown => ({ article })
    const ownEnvelope = (articles: unknown): unknown => ({ articles })
    const { routes, tag } = createRouter(
      [
        get('/', index),
        get('/:slug', show),
        put(
          '/:slug',
          { access: 'admin', params: own, before: [], errors: [], envelope: ownEnvelope },
          show,
        ),
      ],
      { access: 'owner', params, before, errors: ['duplicate'], envelope, tag: 'articles' },
    )
    const errors = ['duplicate']
    expect(routes).toEqual([
      { method: 'get', path: '/', access: 'owner', before, errors, envelope, handler: index },
      {
        method: 'get',
        path: '/:slug',
        access: 'owner',
        params,
        before,
        errors,
        envelope,
        handler: show,
      },
      {
        method: 'put',
        path: '/:slug',
        access: 'admin',
        params: own,
        before: [],
        errors: [],
        envelope: ownEnvelope,
        handler: show,
      },
    ])
    expect(tag).toBe('articles')
  })

  it('types the handlers of a function by its access and params', () => {
    const { routes } = createRouter(
      (route) => [
        route.get('/', (req) => {
          expectTypeOf(req.user).toEqualTypeOf<User>()
          expectTypeOf(req.valid.params).toEqualTypeOf<undefined>()
        }),
        route.del('/:slug', { access: 'public' }, (req) => {
          expectTypeOf(req.user).toEqualTypeOf<User | undefined>()
          expectTypeOf(req.valid.params).toEqualTypeOf<{ slug: string }>()
        }),
      ],
      { access: 'user', params },
    )
    expect(routes).toMatchObject([
      { method: 'get', access: 'user', params: undefined },
      { method: 'delete', access: 'public', params },
    ])
  })

  it('types what a route loads by its params', () => {
    const load = async (found: { slug: string }) => ({ found })
    const { routes } = createRouter(
      (route) => [
        route.put('/:slug/lock', { load: async ({ slug }) => ({ slug }) }, (req) => {
          expectTypeOf(req.document.slug).toEqualTypeOf<string>()
          expectTypeOf(req.valid.params).toEqualTypeOf<{ slug: string }>()
        }),
        route.put('/:slug/open', { load }, (req) => {
          expectTypeOf(req.document.found).toEqualTypeOf<{ slug: string }>()
        }),
        // @ts-expect-error the params have no id
        route.put('/:slug/shut', { load: async ({ id }) => ({ id }) }, () => {}),
      ],
      { access: 'user', params },
    )
    expect(routes).toHaveLength(3)
    const opened = put('/:slug/open', { access: 'user', load }, () => {})
    expect(createRouter([opened], { params }).routes).toHaveLength(1)
    // @ts-expect-error `load` needs params
    expect(createRouter([opened]).routes).toHaveLength(1)
  })

  it('is refused by the compiler where a route stays without access, caller or params', () => {
    const open = get('/:slug', show)
    expectTypeOf(open).not.toExtend<Route>()
    expectTypeOf(open).toExtend<Omit<OpenRoute, 'needs'>>()
    const shown = get('/:slug', { access: 'user' }, show)
    const refused = [
      // @ts-expect-error neither the route nor the router states the access
      () => createRouter([get('/', index)]),
      // @ts-expect-error neither the route nor the router states the access
      () => createRouter((route) => [route.get('/', index)]),
      // @ts-expect-error the handler needs params
      () => createRouter([open], { access: 'user' }),
      // @ts-expect-error the handler needs a caller
      () => createRouter([open], { access: 'public', params }),
      // @ts-expect-error the handler needs params
      () => createRouter([shown]),
      // @ts-expect-error the handler needs other params
      () => createRouter([shown], { params: z.strictObject({ id: z.string() }) }),
    ]
    expect(refused).toHaveLength(6)
    expect(refused[0]).toThrow(
      "The route GET / has no access. Add access: 'public', 'user', 'owner', a role or a rule, to it or to its router.",
    )
    expect(createRouter([open, shown], { access: 'user', params }).routes).toHaveLength(2)
  })
})
