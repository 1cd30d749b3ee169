import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { createApi, createRegistry } from '@create-api/core'
import { createAuth } from '@create-api/core/auth'
import { createSignIn, signInErrors } from '@create-api/sign-in'
import { passkeys } from '@create-api/sign-in/passkeys'
import { openId, providers } from '@create-api/sign-in/providers'
import { describe, expect, it } from 'vitest'
import { createTestBed } from './fixture.ts'

const bed = createTestBed()
const text = await readFile(path.join(import.meta.dirname, '../../../docs/sign-in.md'), 'utf8')

describe('docs/sign-in.md', () => {
  it('lists every route with its access', async () => {
    const words = { public: 'public', user: 'user', 'recent proof': 'fresh 10m' }
    const listed = Array.from(
      text.matchAll(/^\| `([A-Z]+) (\S+?)`? .*?\| (public|user|recent proof) +\|/gm),
      ([, method, route, access]) =>
        `${method} ${route} ${new Map(Object.entries(words)).get(access ?? '')}`,
    )
    const own = await namesOfRoutes(true)
    const others = await namesOfRoutes(false)
    expect(listed.toSorted()).toEqual(own.filter((route) => !others.includes(route)).toSorted())
  })

  it('lists every error with its status', () => {
    const listed = Array.from(text.matchAll(/^\| `(\w+)` +\| (\d+) /gm), ([, code, status]) => [
      code,
      Number(status),
    ])
    expect(listed).toEqual(Object.values(signInErrors).map(({ code, status }) => [code, status]))
  })
})

describe('the option signIn of createAuth', () => {
  it('adds services and routes, also to an authentication that is passed to createApi', () => {
    const auth = createAuth({ signIn: createSignIn() })
    createApi({ routes: createRegistry(), database: false, environment: 'test', auth })
    expect(auth.factors).toMatchObject({ list: expect.any(Function) })
    expect(auth.router.routes.map(({ path: route }) => route)).toContain('/second-factor')
  })
})

describe('the option routes', () => {
  it('selects routes by their names', async () => {
    const count = async (routes: object | boolean): Promise<number> => {
      const { auth } = await bed.start({
        routes: Object(routes) === routes ? Object(routes) : routes,
      })
      return auth.router.routes.length
    }
    const [none, all] = [await count(false), await count(true)]
    expect(await count(['listFactors', 'completeLogin'])).toBe(none + 2)
    expect(await count({ except: ['listFactors'] })).toBe(all - 1)
    expect(all - none).toBe(8)
  })
})

async function namesOfRoutes(routes: boolean): Promise<string[]> {
  const relyingParty = { id: 'localhost', origins: ['http://localhost:5173'] }
  const { auth } = await bed.start({
    links: true,
    passkeys: passkeys(relyingParty),
    providers: providers({
      company: openId({ issuer: 'https://login.example.com', clientId: 'blog' }),
    }),
    trustedDevices: '30d',
    routes,
  })
  return auth.router.routes.map(
    ({ access, method, path: route }) =>
      `${method.toUpperCase()} ${route} ${typeof access === 'object' ? access.name : access}`,
  )
}
