import { describe, expect, expectTypeOf, it } from 'vitest'
import { z } from 'zod'
import { type AuthOptions } from '../../src/lib/auth/options/auth-options.ts'
import { type User } from '../../src/lib/access/caller.ts'
import { defineRoute } from '../../src/lib/route/define-route.ts'
import { type ApiRequest } from '../../src/lib/route/request.ts'
import { success } from '../../src/lib/response/success.ts'

// An application writes this with '@create-api/core' as the name of the module. Optional here,
// because every other test of this repository sees it too.
declare module '../../src/lib/access/caller.ts' {
  interface Roles {
    auditor: true
  }
}
declare module '../../src/lib/auth/tokens/claims.ts' {
  interface Claims {
    readonly tier?: 'free' | 'paid'
  }
}

describe('an application that adds roles and claims', () => {
  it('has them typed in the requests of its routes', () => {
    const route = defineRoute({
      method: 'get',
      path: '/',
      access: 'auditor',
      response: z.object({ id: z.string() }),
      handler(req, res) {
        expectTypeOf(req.user).toEqualTypeOf<User>()
        expectTypeOf(req.user.roles).toEqualTypeOf<readonly ('admin' | 'auditor')[]>()
        expectTypeOf(req.claims?.tier).toEqualTypeOf<'free' | 'paid' | undefined>()
        success(res, { id: req.user.id })
      },
    })
    expectTypeOf<ApiRequest['user']>().toEqualTypeOf<User | undefined>()
    expect(route.access).toBe('auditor')
  })

  it('gets a type error for a claim of another type, and for an unknown role', () => {
    type Create = NonNullable<AuthOptions['claims']>['create']
    expectTypeOf<Create>()
      .returns.toHaveProperty('tier')
      .toEqualTypeOf<'free' | 'paid' | undefined>()
    // @ts-expect-error there is no such role
    const route = defineRoute({ method: 'get', path: '/', access: 'auditr', handler: () => {} })
    expect(route.access).toBe('auditr')
  })
})
