import { createTestClient, findAccessFaults } from '@create-api/core/testing'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { api } from '../../app.mjs'

/** @import { TestCaller, TestClient } from '@create-api/core/testing' */

/** @type {TestClient} */
let client
/**
 * As the access of the routes needs: a user with the roles, or no user where they are public.
 *
 * @type {TestCaller}
 */
let caller

beforeAll(async () => {
  client = await createTestClient(api)
  caller = await client.createCaller('/api/orgs/:org/notes')
})

afterAll(() => client.stop())

// What the rules of the application admit, only the application knows: its tests try the documents of other users.
describe('access to /api/orgs/:org/notes', () => {
  it('is as its routes declare, for every kind of caller', async () => {
    const options = { only: '/api/orgs/:org/notes', owner: caller }
    expect(await findAccessFaults(api, client, options)).toEqual([])
  })
})
