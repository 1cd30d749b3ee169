import { type Response } from 'express'
import { describe, expect, expectTypeOf, it } from 'vitest'
import { z } from 'zod'
import { defineRoute } from './define-route.ts'
import { type User } from '../access/caller.ts'
import { type ApiRequest, type UserRequest } from './request.ts'

const body = z.strictObject({ title: z.string() })

function create(_req: ApiRequest<{ body: { title: string } }>, _res: Response): void {}
function createOwn(_req: UserRequest<{ body: { title: string } }>, _res: Response): void {}

describe('defineRoute', () => {
  it('returns the route it was given', () => {
    const route = { method: 'post', path: '/', access: 'public', body, handler: create } as const
    expect(defineRoute(route)).toBe(route)
  })

  it('types the request of the handler from the schemas', () => {
    defineRoute({
      method: 'post',
      path: '/',
      access: 'public',
      body,
      handler: (req) => {
        expectTypeOf(req.valid.body).toEqualTypeOf<{ title: string }>()
        expectTypeOf(req.valid.query).toEqualTypeOf<undefined>()
        expectTypeOf(req.user).toEqualTypeOf<User | undefined>()
      },
    })
    defineRoute({
      method: 'post',
      path: '/',
      access: 'user',
      body,
      handler: (req) => {
        expectTypeOf(req.user).toEqualTypeOf<User>()
      },
    })
    const own = defineRoute({
      method: 'post',
      path: '/',
      access: 'owner',
      body,
      handler: createOwn,
    })
    expect(own.handler).toBe(createOwn)
  })

  it('refuses a route without access, and a handler that needs a caller on a public one', () => {
    const other = z.strictObject({ name: z.string() })
    const refused = [
      // @ts-expect-error access is required
      defineRoute({ method: 'get', path: '/', handler: () => {} }),
      // @ts-expect-error a public route has no caller for sure
      defineRoute({ method: 'post', path: '/', access: 'public', body, handler: createOwn }),
      // @ts-expect-error the body has no such field
      defineRoute({ method: 'post', path: '/', access: 'user', body: other, handler: createOwn }),
    ]
    expect(refused).toHaveLength(3)
  })
})
