import { expect, it } from 'vitest'
import { createTestClient } from '../../src/testing.ts'
import { renderProject } from './render-golden.ts'

it('stores empty objects at any depth', async () => {
  const fields = ['value:any', 'place.value:any', 'rows.inner.value:any', 'rows:array:object']
  const { api } = await renderProject([{ name: 'boxes', fields }])
  const client = await createTestClient(api)
  try {
    const box = { value: {}, place: { value: {} }, rows: [{ inner: { value: {} } }] }
    const created = await client.request.post('/api/boxes').send(box).expect(201)
    const { body } = await client.request.get(`/api/boxes/${created.body.data.id}`).expect(200)
    expect(body.data).toMatchObject(box)
  } finally {
    await client.stop()
  }
})
