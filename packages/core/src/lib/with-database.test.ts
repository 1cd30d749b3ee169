import { model, Schema } from 'mongoose'
import { describe, expect, it } from 'vitest'
import { createApi } from './create-api.ts'
import { createRegistry } from './routing/registry.ts'
import { withDatabase } from './with-database.ts'

const routes = createRegistry()
const database = { uri: 'embedded:memory', name: 'scripts' }
const Note = model('ScriptNote', new Schema({ slug: { type: String, unique: true } }))

describe('withDatabase', () => {
  it('connects without building indexes, and disconnects', async () => {
    const api = createApi({ routes, database, environment: 'test' })
    const count = await withDatabase(api, async (connection) => {
      // With the unique index in place the second one would be refused.
      await Note.collection.insertMany([{ slug: 'a' }, { slug: 'a' }])
      expect(connection.readyState).toBe(1)
      return Note.countDocuments()
    })
    expect(count).toBe(2)
    expect(Note.db.readyState).toBe(0)
  })

  it('disconnects when the script fails', async () => {
    const api = createApi({ routes, database, environment: 'test' })
    const failing = withDatabase(api, () => Promise.reject(new Error('no use')))
    await expect(failing).rejects.toThrow('no use')
    expect(Note.db.readyState).toBe(0)
  })

  it('reports that there is no database', async () => {
    const api = createApi({ routes, database: false, auth: false, environment: 'test' })
    await expect(withDatabase(api, async () => {})).rejects.toThrow('This API has no database')
  })
})
