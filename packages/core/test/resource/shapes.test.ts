import { model, Schema } from 'mongoose'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import {
  type ApiRequest,
  createApi,
  createRegistry,
  createRouter,
  defineRoute,
  success,
} from '../../src/index.ts'
import {
  defineListQuery,
  findPage,
  idParams,
  listMeta,
  objectId,
  parseIfMatch,
  requireFound,
  setCreated,
  patchDocument,
  toOutputSchema,
  toPatchSchema,
  versioned,
} from '../../src/resource.ts'
import { createTestClient, type TestClient } from '../../src/testing.ts'

// Notes are addressed by a slug, need If-Match, and have an action and a sub-path beside `:slug`.
const createNote = z.strictObject({ slug: z.string().regex(/^[a-z-]{1,40}$/), text: z.string() })
const note = toOutputSchema(createNote)
const patchText = toPatchSchema(createNote.pick({ text: true }))
const slugParams = createNote.pick({ slug: true })
const noteSchema = new Schema(
  {
    slug: { type: String, required: true, unique: true },
    text: { type: String, required: true },
  },
  { timestamps: true },
)
const NoteModel = model('Note', noteSchema.plugin(versioned))

const notes = createRouter([
  defineRoute({
    method: 'post',
    path: '/',
    access: 'public',
    body: createNote,
    response: note,
    status: 201,
    etag: true,
    errors: ['duplicate'],
    async handler(req, res) {
      const created = (await NoteModel.create(req.valid.body)).toObject()
      success(setCreated(res, created, created.slug), created)
    },
  }),
  defineRoute({
    method: 'get',
    path: '/feed',
    access: 'public',
    response: note.array(),
    async handler(_req, res) {
      success(res, await NoteModel.find().sort({ _id: -1 }).limit(5).lean())
    },
  }),
  defineRoute({
    method: 'get',
    path: '/:slug',
    access: 'public',
    params: slugParams,
    response: note,
    etag: true,
    async handler(req, res) {
      const found = requireFound(await NoteModel.findOne(req.valid.params).lean())
      success(res, found)
    },
  }),
  defineRoute({
    method: 'patch',
    path: '/:slug',
    access: 'public',
    params: slugParams,
    body: patchText,
    response: note,
    etag: true,
    requireIfMatch: true,
    async handler(req, res) {
      const { slug } = req.valid.params
      const options = { scope: req.scope, match: parseIfMatch(req), schema: patchText }
      const { body: input } = req.valid
      success(res, await patchDocument(NoteModel, { slug }, { ...options, input }))
    },
  }),
  defineRoute({
    method: 'post',
    path: '/:slug/publish',
    access: 'public',
    params: slugParams,
    response: z.object({ published: z.boolean() }),
    handler(_req, res) {
      success(res, { published: true })
    },
  }),
])

// Comments lie under a note and have their own numbers.
const createComment = z.strictObject({ text: z.string().min(1).max(100) })
const comment = toOutputSchema(createComment).extend({ note: objectId })
const listComments = defineListQuery(comment, { filters: ['text'], sort: ['createdAt'] })
const commentSchema = new Schema(
  {
    note: { type: Schema.Types.ObjectId, required: true },
    text: { type: String, required: true },
  },
  { timestamps: true },
)
const CommentModel = model('Comment', commentSchema.plugin(versioned))
const underNote = z.strictObject({ noteId: objectId })
type UnderNote = z.output<typeof underNote>

const comments = createRouter([
  defineRoute({
    method: 'get',
    path: '/',
    access: 'public',
    params: underNote,
    query: listComments,
    response: comment.array(),
    meta: listMeta,
    async handler(req, res) {
      const { data, meta } = await findPage(CommentModel, req.valid.query, {
        scope: { note: req.valid.params.noteId },
      })
      success(res, data, meta)
    },
  }),
  defineRoute({
    method: 'post',
    path: '/',
    access: 'public',
    params: underNote,
    body: createComment,
    response: comment,
    status: 201,
    etag: true,
    async handler(
      req: ApiRequest<{ params: UnderNote; query: undefined; body: { text: string } }>,
      res,
    ) {
      const fields = { ...req.valid.body, note: req.valid.params.noteId }
      const created = (await CommentModel.create(fields)).toObject()
      success(setCreated(res, created), created)
    },
  }),
  defineRoute({
    method: 'get',
    path: '/:id',
    access: 'public',
    params: underNote.extend(idParams.shape),
    response: comment,
    etag: true,
    async handler(req, res) {
      const { noteId, id } = req.valid.params
      const found = requireFound(await CommentModel.findOne({ _id: id, note: noteId }).lean())
      success(res, found)
    },
  }),
])

const api = createApi({
  name: 'shapes',
  routes: createRegistry().use('/api/notes', notes).use('/api/notes/:noteId/comments', comments),
  envelope: (data, meta) => ({ ok: true, result: { payload: data, info: meta } }),
})

let client: TestClient

beforeAll(async () => {
  client = await createTestClient(api)
})

afterAll(() => client.stop())

async function createNoteOf(slug: string) {
  const { body, headers } = await client.request
    .post('/api/notes')
    .send({ slug, text: 'x' })
    .expect(201)
  return { id: String(body.result.payload.id), location: headers['location'] }
}

describe('resources of other shapes', () => {
  it('can be addressed by a slug', async () => {
    const { location } = await createNoteOf('by-slug')
    expect(location).toBe('/api/notes/by-slug')
    const { body } = await client.request.get('/api/notes/by-slug').expect(200)
    expect(body).toMatchObject({ ok: true, result: { payload: { slug: 'by-slug' } } })
    await client.request.get('/api/notes/NO').expect(404)
    await client.request.post('/api/notes').send({ slug: 'by-slug', text: 'y' }).expect(409)
  })

  it('can have actions, and literal paths next to the parameter', async () => {
    await createNoteOf('with-action')
    const published = await client.request.post('/api/notes/with-action/publish').expect(200)
    expect(published.body).toEqual({ ok: true, result: { payload: { published: true } } })
    const { body } = await client.request.get('/api/notes/feed').expect(200)
    expect(body.result.payload[0].slug).toBe('with-action')
  })

  it('HTTP-04 can require If-Match: 404, then 428, then 412', async () => {
    await createNoteOf('strict')
    const patch = (slug: string, headers = {}) =>
      client.request.patch(`/api/notes/${slug}`).set(headers).send({ text: 'z' })
    await patch('absent').expect(404)
    const { body } = await patch('strict').expect(428)
    expect(body.code).toBe('precondition_required')
    await patch('strict', { 'If-Match': '"7"' }).expect(412)
    await patch('strict', { 'If-Match': '"0"' }).expect(200)
  })

  it('can lie under another resource', async () => {
    const { id } = await createNoteOf('parent')
    const other = await createNoteOf('other-parent')
    const created = await client.request.post(`/api/notes/${id}/comments`).send({ text: 'a' })
    const path = String(created.headers['location'])
    expect(path).toBe(`/api/notes/${id}/comments/${created.body.result.payload.id}`)
    await client.request.get(path).expect(200)
    await client.request.get(path.replace(id, other.id)).expect(404)
    const list = await client.request.get(`/api/notes/${id}/comments?sort=-createdAt`).expect(200)
    expect(list.body.result.info).toEqual({ page: 1, limit: 20, total: 1, pages: 1 })
    const empty = await client.request.get(`/api/notes/${other.id}/comments`).expect(200)
    expect(empty.body.result.payload).toEqual([])
    await client.request.get('/api/notes/nope/comments').expect(404)
  })

  it('are described as they are: names, envelope, links, If-Match', () => {
    if (!api.openapi) throw new Error('There is no document.')
    const { paths, components } = api.openapi
    const text = JSON.stringify(paths)
    const ids = [...text.matchAll(/"operationId":"(\w+)","summary"/g)].map(([, name]) => name)
    expect(
      ids
        .filter((name) => /note/i.test(name ?? ''))
        .toSorted((a = '', b = '') => a.localeCompare(b)),
    ).toEqual([
      'createNote',
      'createNoteComment',
      'getNote',
      'getNoteComment',
      'listNoteComments',
      'listNotesFeed',
      'publishNote',
      'updateNote',
    ])
    expect(components['schemas']).toHaveProperty('NoteComment')
    expect(paths['/api/notes']).toMatchObject({
      post: {
        responses: {
          201: {
            content: {
              'application/json': {
                schema: {
                  properties: {
                    ok: { const: true },
                    result: { properties: { payload: { $ref: '#/components/schemas/Note' } } },
                  },
                },
              },
            },
            links: { getNote: { parameters: { slug: '$response.body#/result/payload/slug' } } },
          },
        },
      },
    })
    expect(paths['/api/notes/{noteId}/comments']).toMatchObject({
      post: {
        responses: {
          201: {
            links: {
              getNoteComment: {
                parameters: {
                  noteId: '$request.path.noteId',
                  id: '$response.body#/result/payload/id',
                },
              },
            },
          },
        },
      },
    })
    expect(paths['/api/notes/{slug}']).toMatchObject({
      patch: {
        parameters: [{ name: 'slug' }, { name: 'If-Match', required: true }],
        responses: { 412: {}, 428: {} },
      },
    })
  })
})
