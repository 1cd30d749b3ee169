import { erasePerson, exportPerson, type PersonalDocument } from '@create-api/core/personal-data'
import mongoose from 'mongoose'
import { expect, it } from 'vitest'
import { createBed } from './fixture.ts'
import { startReceiver } from './receiver.ts'

const bed = createBed()

it('an export has the endpoints of the person without their secrets, and an erasure deletes them', async () => {
  const receiver = await startReceiver()
  const [ada, bob] = [await bed.user(), await bed.user()]
  for (const { headers } of [ada, bob]) {
    await bed
      .client()
      .request.post('/api/webhooks')
      .set(headers)
      .send({ url: receiver.url, events: ['post.published'], description: 'mine' })
      .expect(201)
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
  ])
  expect(JSON.stringify(documents)).not.toMatch(/sealed|secret/)
  await erasePerson(auth, ada.user.id)
  const left = await mongoose.connection.collection('webhook_endpoints').find().toArray()
  expect(left.map(({ owner }) => owner)).toEqual([bob.user.id])
})
