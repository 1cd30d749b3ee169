import { type Response } from 'express'
import { describe, expect, it } from 'vitest'
import { defineRoles } from '../../src/lib/auth/users/define-roles.ts'
import { createApi } from '../../src/lib/create-api.ts'
import { all, any, permission } from '../../src/lib/access/access.ts'
import { type ApiRequest } from '../../src/lib/route/request.ts'
import { get } from '../../src/lib/route/route-methods.ts'
import { success } from '../../src/lib/response/success.ts'
import { createRouter } from '../../src/lib/routing/create-router.ts'
import { createRegistry } from '../../src/lib/routing/registry.ts'
import { createTestClient } from '../../src/lib/testing/create-test-client.ts'
import { silent } from './auth-fixture.ts'

const roles = defineRoles({ author: ['posts:write'] })

describe('permission', () => {
  it('admits callers by their roles, alone and in combinations', async () => {
    const show = (req: ApiRequest, res: Response): void => success(res, req.scope)
    const write = permission('posts:write')
    const router = createRouter([
      get('/write', { access: write }, show),
      get('/any', { access: any('owner', write) }, show),
      get('/all', { access: all('owner', write) }, show),
    ])
    const api = createApi({
      routes: createRegistry().use('/api', router),
      environment: 'test',
      log: { logger: silent },
      database: { uri: 'embedded:memory' },
      auth: { roles },
    })
    const client = await createTestClient(api)
    try {
      const { headers, user } = await client.signUp()
      const read = async (path: string): Promise<unknown> => {
        const { status, body } = await client.request.get(`/api/${path}`).set(headers)
        return status === 200 ? body.data : status
      }
      const own = { owner: user.id }
      expect([await read('write'), await read('any'), await read('all')]).toEqual([403, own, 403])
      await api.auth?.users.grantRole(user.id, 'author')
      expect([await read('write'), await read('any'), await read('all')]).toEqual([{}, {}, own])
      await client.request.get('/api/write').expect(401)
      const { body } = await client.request.get('/openapi.json').expect(200)
      expect(body.paths['/api/write'].get.security).toEqual([{ bearer: ['posts:write'] }])
      await api.auth?.users.revokeRole(user.id, 'author')
      expect(await read('write')).toBe(403)
    } finally {
      await client.stop()
    }
  })
})

describe('signUp of the test client', () => {
  it.each([true, false])('gives tokens with the roles, stateless %s', async (stateless) => {
    const api = createApi({
      routes: createRegistry(),
      environment: 'test',
      log: { logger: silent },
      database: { uri: 'embedded:memory' },
      auth: { roles, stateless },
    })
    const testClient = await createTestClient(api)
    try {
      const { accessToken, user } = await testClient.signUp({ roles: ['admin'] })
      expect(user.roles).toEqual(['admin'])
      expect((await api.auth?.verifyAccessToken(accessToken))?.user.roles).toEqual(['admin'])
    } finally {
      await testClient.stop()
    }
  })
})
