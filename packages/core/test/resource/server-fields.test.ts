import { Schema } from 'mongoose'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { patchDocument, replaceDocument, toPatchSchema, versioned } from '../../src/resource.ts'
import { startTestDatabase, type TestDatabase } from '../auth/auth-fixture.ts'

const createText = z.strictObject({
  title: z.string(),
  place: z.strictObject({ city: z.string(), zip: z.string().default('none') }).optional(),
})
const patchText = toPatchSchema(createText)
const options = { scope: {}, match: {} }
const schema = new Schema({
  title: { type: String, required: true },
  slug: { type: String, maxlength: 5 },
  place: new Schema({ city: String, zip: String }, { _id: false }),
  editedBy: { id: String, name: String },
})

let database: TestDatabase

beforeAll(async () => {
  database = await startTestDatabase()
})
afterAll(() => database.stop())

describe('fields that the server adds to a change', () => {
  async function create() {
    const { connection } = database
    const model = connection.deleteModel(/^Text$/).model('Text', schema.clone().plugin(versioned))
    const stored = await model.insertOne({ title: 'One', slug: 'one' })
    return { model, filter: { _id: stored._id } }
  }

  it('are stored with a patch, and undefined ones are left out', async () => {
    const { model, filter } = await create()
    const patch = async (body: unknown) => {
      const input = patchText.parse(body)
      const slug = input.title?.toLowerCase()
      const added = { ...input, slug, editedBy: { id: '7', name: 'Ada' } }
      return patchDocument(model, filter, { ...options, schema: patchText, input: added })
    }
    expect(await patch({ title: 'Two' })).toMatchObject({ title: 'Two', slug: 'two' })
    expect(await patch({ place: { city: 'Oslo' } })).toMatchObject({
      slug: 'two',
      place: { city: 'Oslo', zip: 'none' },
      editedBy: { id: '7', name: 'Ada' },
    })
  })

  it('are validated by the model', async () => {
    const { model, filter } = await create()
    const input = { slug: 'too long' }
    const long = patchDocument(model, filter, { ...options, schema: patchText, input })
    await expect(long).rejects.toThrow('slug')
  })

  it('have to be fields of the model', async () => {
    const { model, filter } = await create()
    const message = "The model 'Text' has no field 'slgu'"
    const input = { title: 'Two', slgu: 'two' }
    const patched = patchDocument(model, filter, { ...options, schema: patchText, input })
    await expect(patched).rejects.toThrow(message)
    const replaced = replaceDocument(model, filter, { ...options, schema: createText, input })
    await expect(replaced).rejects.toThrow(message)
    expect(await model.findById(filter._id).lean()).toMatchObject({ title: 'One' })
  })
})
