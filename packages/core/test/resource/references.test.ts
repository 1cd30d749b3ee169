import mongoose, { model, Schema, Types } from 'mongoose'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { createApi, createRegistry, createRouter, get } from '../../src/index.ts'
import { type ReferenceScopes, requireReferences } from '../../src/resource.ts'
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

async function pointersOf(input: object, scopes?: ReferenceScopes): Promise<string[]> {
  try {
    await requireReferences(BookModel, { ...input }, { references: scopes })
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
    const ofBob = { cover: { owner: String(bob) } }
    const others = await pointersOf({ author, cover }, ofBob)
    const none = await pointersOf({ author, cover: absent }, ofBob)
    expect([others, none]).toEqual([['#/cover'], ['#/cover']])
    expect(await pointersOf({ author, cover }, { cover: { owner: String(ada) } })).toEqual([])
    expect(await pointersOf({ author, cover }, { cover: {} })).toEqual([])
  })

  it('requires a decision about documents that have owners', async () => {
    createRouter([get('/', { access: 'owner' }, () => {})], { model: FileModel })
    await expect(
      requireReferences(BookModel, { author, cover }, { references: {} }),
    ).rejects.toThrow(
      /RefBook.cover refers to RefFile, whose documents have owners.*references: \{ cover: 'owner' \}/,
    )
    await expect(
      requireReferences(BookModel, { author }, { references: { author: { owner: '1' } } }),
    ).rejects.toThrow(/The scope filters by 'owner', a field that RefAuthor does not have/)
  })

  it('distinguishes fields that refer to one model', async () => {
    const scopes = { editors: { name: 'b' }, 'chapters.by': { name: 'c' } }
    const input = { author, editors: [author], chapters: [{ by: [author] }] }
    expect(await pointersOf(input, scopes)).toEqual(['#/editors/0', '#/chapters/0/by/0'])
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
