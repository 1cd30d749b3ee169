import { Schema } from 'mongoose'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { patchDocument, replaceDocument, toPatchSchema, versioned } from '../../src/resource.ts'
import { startTestDatabase, type TestDatabase } from '../auth/auth-fixture.ts'

const createText = z.strictObject({ title: z.string() })
const patchText = toPatchSchema(createText)

let database: TestDatabase

beforeAll(async () => {
  database = await startTestDatabase()
})
afterAll(() => database.stop())

describe('a model without the plugin versioned', () => {
  const schema = new Schema({ title: { type: String, required: true } }, { timestamps: true })

  async function create(used = schema) {
    const model = database.connection.deleteModel(/^Text$/).model('Text', used.clone())
    const stored = await model.insertOne({ title: 'One' })
    return { model, filter: { _id: stored._id } }
  }

  it('has its versions counted by patchDocument and replaceDocument', async () => {
    const { model, filter } = await create()
    const options = { scope: {}, match: {}, input: { title: 'Two' } }
    expect(await patchDocument(model, filter, { ...options, schema: patchText })).toMatchObject({
      title: 'Two',
      __v: 1,
    })
    expect(await replaceDocument(model, filter, { ...options, schema: createText })).toMatchObject({
      __v: 2,
    })
    const late = { ...options, match: { __v: 1 }, schema: patchText }
    await expect(patchDocument(model, filter, late)).rejects.toMatchObject({
      code: 'precondition_failed',
    })
  })

  it('is left as it is by a patch that changes nothing', async () => {
    const { model, filter } = await create()
    const before = await model.findById(filter._id).lean()
    const options = { scope: {}, match: {}, schema: patchText, input: {} }
    expect(await patchDocument(model, filter, options)).toEqual(before)
    expect(await model.findById(filter._id).lean()).toEqual(before)
  })

  it('has no version with versionKey: false', async () => {
    const { model, filter } = await create(schema.clone().set('versionKey', false))
    const options = { scope: {}, match: {}, schema: patchText, input: { title: 'Two' } }
    expect(await patchDocument(model, filter, options)).not.toHaveProperty('__v')
    const before = await model.findById(filter._id).lean()
    expect(await patchDocument(model, filter, { ...options, input: {} })).toEqual(before)
  })

  it('is not counted twice with the plugin', async () => {
    const { model, filter } = await create(schema.clone().plugin(versioned))
    const options = { scope: {}, match: {}, schema: patchText, input: { title: 'Two' } }
    expect(await patchDocument(model, filter, options)).toMatchObject({ __v: 1 })
  })
})
