import mongoose from 'mongoose'
import { expect, it } from 'vitest'

const { connection } = mongoose
const readSettings = () =>
  structuredClone({
    options: Reflect.get(mongoose, 'options'),
    plugins: Object(Reflect.get(mongoose, 'plugins')).length,
    config: connection.config,
    maxTimeMS: connection.get('maxTimeMS'),
  })

it('an API that is imported, started and stopped leaves the settings of Mongoose as they were', async () => {
  mongoose.set('toJSON', { virtuals: true })
  const before = readSettings()

  const { createApi, createRegistry } = await import('../../src/index.ts')
  await import('../../src/auth.ts')
  await import('../../src/resource.ts')
  const { createTestClient } = await import('../../src/testing.ts')
  const api = createApi({ name: 'settings', environment: 'test', routes: createRegistry() })
  const schema = new mongoose.Schema({ title: { type: String, minlength: 3 }, tags: [String] })
  const Note = mongoose.model('SettingsNote', schema)
  const client = await createTestClient(api)
  const running = readSettings()
  expect({ options: running.options, plugins: running.plugins }).toEqual({
    options: before.options,
    plugins: before.plugins,
  })

  // As without the library: operators, unknown names, updates without validators.
  await Note.create({ title: 'abc', tags: ['a'] })
  expect(await Note.find({ title: { $in: ['abc'] }, $or: [{ tags: 'a' }] })).toHaveLength(1)
  expect(await Note.find({ nope: 1 } as never)).toEqual([])
  await Note.updateOne({ title: 'abc' }, { title: 'x' })
  expect(await Note.countDocuments({ title: { $regex: '^x' } })).toBe(1)

  await client.stop()
  expect(readSettings()).toEqual({ ...before, maxTimeMS: undefined })
})
