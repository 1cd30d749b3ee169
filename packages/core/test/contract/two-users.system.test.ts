import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { createTestClient, type TestClient } from '../../src/testing.ts'
import { renderGolden } from '../golden/render-golden.ts'
import { findLeaks } from './two-users.ts'

const { api } = await renderGolden('owner')

// Read when the app is imported: the requests of a run come from one address in a few seconds.
const service = await vi.hoisted(async () => {
  process.env['RATE_LIMIT'] = '1000000'
  const forgetful = { ofOwners: false }
  const { default: mongoose } = await import('mongoose')
  const withoutOwner = (filter: object): object => {
    const { owner: _, ...others } = Object(filter)
    return others.$and ? { ...others, $and: [{}, ...others.$and.map(withoutOwner)] } : others
  }
  mongoose.plugin((schema) => {
    schema.pre(['find', 'findOne', 'countDocuments', 'findOneAndUpdate'], function forget() {
      if (forgetful.ofOwners) this.setQuery(withoutOwner(this.getFilter()))
    })
  })
  return forgetful
})

const only = /^\/api\/posts/

let client: TestClient

beforeAll(async () => {
  client = await createTestClient(api)
})

afterAll(() => client.stop())

describe('two users of an owner resource', () => {
  it("AUZ-02 AUZ-03 cannot read or write each other's documents", async () => {
    const { leaks, requests } = await findLeaks(client, { only })
    expect(leaks).toEqual([])
    expect(requests).toBeGreaterThan(100)
  })

  it('fail this test when the resource does not separate them', async () => {
    service.ofOwners = true
    const { leaks } = await findLeaks(client, { only })
    const text = leaks.join('\n')
    expect(text).toMatch(/GET \/api\/posts\/\w+ was 200/)
    expect(text).toMatch(/PATCH \/api\/posts\/\w+ was 200/)
    expect(text).toMatch(/was changed/)
  })
})
