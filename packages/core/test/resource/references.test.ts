import mongoose, { model, Schema, Types } from 'mongoose'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { createApi, createRegistry } from '../../src/index.ts'
import { requireReferences } from '../../src/resource.ts'
import { createTestClient, type TestClient } from '../../src/testing.ts'

const authorSchema = new Schema({ name: String })
const AuthorModel = model('RefAuthor', authorSchema)
const fileSchema = new Schema({ name: String, owner: Schema.Types.ObjectId })
const FileModel = model('RefFile', fileSchema)
const { ObjectId } = Schema.Types
const BookModel = model(
  'RefBook',
  new Schema({
    title: String,
    author: { type: ObjectId, ref: 'RefAuthor' },
    editors: [{ type: ObjectId, ref: 'RefAuthor' }],
    cover: { type: ObjectId, ref: 'RefFile' },
    print: { by: { type: ObjectId, ref: 'RefAuthor' } },
    chapters: [new Schema({ title: String, by: [{ type: ObjectId, ref: 'RefAuthor' }] })],
    shelf: { type: ObjectId, ref: 'RefShelf' },
  }),
)
const absent = '000000000000000000000000'
const ada = new Types.ObjectId()
const bob = new Types.ObjectId()

let client: TestClient
let author: string
let cover: string

beforeAll(async () => {
  client = await createTestClient(createApi({ name: 'references', routes: createRegistry() }))
  author = (await AuthorModel.create({ name: 'a' })).id
  cover = (await FileModel.create({ name: 'of Ada', owner: ada })).id
})

afterAll(() => client.stop())

afterEach(() => mongoose.set('debug', false))

async function pointersOf(input: object, options = {}): Promise<string[]> {
  try {
    await requireReferences(BookModel, { ...input }, options)
    return []
  } catch (error) {
    const { code, errors } = Object(error)
    expect(code).toBe('validation_failed')
    return errors.map(({ pointer }: { pointer: string }) => pointer)
  }
}

describe('requireReferences', () => {
  it('names each id that names nothing, in lists and objects too', async () => {
    expect(
      await pointersOf({ title: 'x', author, editors: [author], print: { by: author } }),
    ).toEqual([])
    expect(
      await pointersOf({
        title: absent,
        author: absent,
        editors: [author, absent],
        cover: absent,
        print: { by: absent },
        chapters: [{ title: absent, by: [author] }, { by: [author, absent] }],
      }),
    ).toEqual(['#/author', '#/editors/1', '#/print/by', '#/chapters/1/by/1', '#/cover'])
    expect(await pointersOf({ author: null, editors: undefined })).toEqual([])
  })

  it('uses one query for each model', async () => {
    const queries: string[] = []
    mongoose.set('debug', (collection: string, method: string) => {
      queries.push(`${collection}.${method}`)
    })
    const editors = Array.from({ length: 100 }, () => author)
    expect(await pointersOf({ author, editors, cover })).toEqual([])
    expect(queries.toSorted()).toEqual(['refauthors.find', 'reffiles.find'])
  })

  it("AUZ-02 does not reveal whether another user's document exists", async () => {
    const others = await pointersOf({ author, cover }, { owner: String(bob) })
    const none = await pointersOf({ author, cover: absent }, { owner: String(bob) })
    expect([others, none]).toEqual([['#/cover'], ['#/cover']])
    expect(await pointersOf({ author, cover }, { owner: String(ada) })).toEqual([])
  })

  it('warns once about a model that is not registered, and checks the others', async () => {
    const warnings: string[] = []
    const note = ({ message }: Error): void => void warnings.push(message)
    process.on('warning', note)
    for (const _ of [1, 2]) {
      expect(await pointersOf({ shelf: absent, author: absent })).toEqual(['#/author'])
    }
    // Warnings are emitted on the next tick.
    await new Promise(setImmediate)
    process.off('warning', note)
    expect(warnings).toEqual([
      expect.stringMatching(
        /^RefBook refers to the model 'RefShelf', which is not registered.*Import the file/,
      ),
    ])
  })
})
