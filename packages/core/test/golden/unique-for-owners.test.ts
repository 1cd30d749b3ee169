import { expect, it } from 'vitest'
import { createTestClient } from '../../src/testing.ts'
import { renderProject } from './render-golden.ts'

// The index of docs/access.md, without the name of the model.
const index = 'Schema.index({ owner: 1, slug: 1 }, { unique: true })'

it.each([
  ['among all documents', 'notes', (text: string) => text, 409],
  [
    'for each owner, after the change of the documentation',
    'drafts',
    (text: string) =>
      text
        .replace(', unique: true }', ' }')
        .replace('draftSchema.index(', `draft${index}\ndraftSchema.index(`),
    201,
  ],
])('AUZ-09 a value is unique %s', async (_, name, change, status) => {
  const resource = { name, fields: ['slug:string:unique'], access: 'owner' }
  const { api } = await renderProject([resource], {
    edit: (path, text) => (path.endsWith('.model.ts') ? change(text) : text),
  })
  const client = await createTestClient(api)
  try {
    const [ada, bob] = [await client.signUp(), await client.signUp()]
    const create = async (token: string): Promise<number> => {
      const request = client.request.post(`/api/${name}`).set('Authorization', `Bearer ${token}`)
      return (await request.send({ slug: 'first' })).status
    }
    expect(await create(ada.accessToken)).toBe(201)
    expect(await create(bob.accessToken)).toBe(status)
    expect(await create(ada.accessToken)).toBe(409)
  } finally {
    await client.stop()
  }
})
