import {
  createApi,
  createRegistry,
  createRouter,
  get,
  multiFactor,
  success,
} from '@create-api/core'
import { createTestClient, findAccessFaults } from '@create-api/core/testing'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'

describe.each([{ stateless: false }, { stateless: true }])('multiFactor with %j', (options) => {
  it('admits sessions with a second factor, and asks others for it', async () => {
    const router = createRouter([
      get('/', { access: multiFactor, response: z.boolean().optional() }, (req, res) =>
        success(res, req.multiFactor),
      ),
    ])
    const api = createApi({
      routes: createRegistry().use('/secrets', router),
      auth: { secrets: ['s'.repeat(44)], apiKeys: {}, ...options },
      log: { level: 'silent' },
    })
    const client = await createTestClient(api)
    const caller = await client.createCaller('/secrets')
    expect((await caller.request.get('/secrets').expect(200)).body.data).toBe(true)
    const { user } = await client.signUp()
    const grant = await api.auth?.issueTokens(user)
    const refused = await client.request
      .get('/secrets')
      .set('Authorization', `Bearer ${grant?.accessToken}`)
      .expect(401)
    expect(refused.body.code).toBe('reauthentication_required')
    expect(refused.headers['www-authenticate']).toBe(
      'Bearer realm="api", error="insufficient_user_authentication", error_description="A second factor is required", acr_values="mfa"',
    )
    const key = await client.createKey({ user }, ['user'])
    await client.request.get('/secrets').set(key.headers).expect(403)
    expect(await findAccessFaults(api, client)).toEqual([])
    await client.stop()
  })
})
