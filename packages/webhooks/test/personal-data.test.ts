import { erasePerson, exportPerson, type PersonalDocument } from '@create-api/core/personal-data'
import mongoose from 'mongoose'
import { expect, it } from 'vitest'
import { createBed } from './fixture.ts'
import { startReceiver } from './receiver.ts'

const bed = createBed()

it('an export has the endpoints of the person and their log without secrets, and an erasure deletes them', async () => {
  const receiver = await startReceiver()
  const [ada, bob] = [await bed.user(), await bed.user()]
  for (const { headers } of [ada, bob]) {
    const { request } = bed.client()
    const input = { url: receiver.url, events: ['post.published'], description: 'mine' }
    const { body } = await request.post('/api/webhooks').set(headers).send(input).expect(201)
    await request.post(`/api/webhooks/${body.data.id}/test`).set(headers).expect(202)
  }
  const auth = bed.auth()
  const documents: PersonalDocument[] = []
  for await (const document of exportPerson(auth, ada.user.id)) documents.push(document)
  expect(documents.filter(({ collection }) => collection.startsWith('webhook'))).toEqual([
    {
      collection: 'webhook_endpoints',
      relation: 'account',
      document: {
        url: receiver.url,
        events: ['post.published'],
        description: 'mine',
        disabledAt: null,
        disabledReason: null,
        createdAt: expect.any(String),
      },
    },
    {
      collection: 'webhook_deliveries',
      relation: 'account',
      document: {
        messageId: expect.any(String),
        type: 'webhook.test',
        body: expect.any(String),
        state: 'pending',
        createdAt: expect.any(String),
      },
    },
  ])
  expect(JSON.stringify(documents)).not.toMatch(/sealed|secret/)
  await erasePerson(auth, ada.user.id)
  for (const name of ['webhook_endpoints', 'webhook_deliveries']) {
    const left = await mongoose.connection.collection(name).find().toArray()
    expect(left.map(({ owner }) => owner)).toEqual([bob.user.id])
  }
})
