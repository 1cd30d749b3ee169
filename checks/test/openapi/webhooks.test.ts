import { emit } from '@create-api/jobs/events'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { compareDocuments } from '@create-api/openapi-diff'
import { expect, it } from 'vitest'
import { postPublished } from '../../../packages/webhooks/test/events.ts'
import { createBed } from '../../../packages/webhooks/test/fixture.ts'
import { startReceiver } from '../../../packages/webhooks/test/receiver.ts'

const bed = createBed()

async function readDocument() {
  const { body } = await bed.client().request.get('/openapi.json').expect(200)
  return body
}

it('the document describes each published event as it is sent', async () => {
  const { components, webhooks } = await readDocument()
  expect(Object.keys(webhooks)).toEqual(['post.published', 'broken'])
  const { post } = webhooks['post.published']
  expect(post).toMatchObject({ operationId: 'sendPostPublished', summary: 'A post was published' })
  expect(webhooks.broken.post.summary).toBe('broken')
  expect(Object.keys(post.responses)).toEqual(['410', '2XX', 'default'])

  const receiver = await startReceiver()
  const ada = await bed.user()
  await bed
    .client()
    .request.post('/api/webhooks')
    .set(ada.headers)
    .send({ url: receiver.url, events: ['post.published'] })
    .expect(201)
  await emit(postPublished, { postId: 'p1', owner: ada.user.id })
  await bed.run()
  const [message] = receiver.received
  const fields: { name: string; in: string; required: boolean }[] = post.parameters
  expect(fields.map(({ name }) => name).toSorted()).toEqual(
    Object.keys(message?.headers ?? {})
      .filter((name) => name.startsWith('webhook-'))
      .toSorted(),
  )
  const { schema } = post.requestBody.content['application/json']
  const validate = new Ajv2020({ strict: false, validateFormats: false }).compile({
    ...schema,
    components,
  })
  const sent = JSON.parse(message?.body ?? '')
  expect([validate(sent), validate.errors]).toEqual([true, null])
  expect(validate({ ...sent, type: 'other' })).toBe(false)
  expect(validate({ ...sent, data: {} })).toBe(false)
})

it('a comparison of documents ignores webhooks', async () => {
  const after = await readDocument()
  const { webhooks: _, ...before } = after
  expect(compareDocuments(before, after)).toEqual([])
  expect(compareDocuments(after, before)).toEqual([])
})
