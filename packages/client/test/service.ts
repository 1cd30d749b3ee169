import {
  createApi,
  createRegistry,
  createRouter,
  defineRoute,
  events,
  get,
  multipart,
  sendEvents,
  success,
} from '@create-api/core'
import { type SecurityEvent } from '@create-api/core/auth'
import {
  createDocument,
  defineListQuery,
  findPage,
  idParams as params,
  listMeta,
  parseIfMatch,
  patchDocument,
  setCreated,
  toOutputSchema,
  toPatchSchema,
  versioned,
  findDocument,
  deleteDocument,
} from '@create-api/core/resource'
import { createTestClient, type TestClient } from '@create-api/core/testing'
import { model, Schema } from 'mongoose'
import { z } from 'zod'
import {
  type ApiClient,
  type Call,
  type CallOptions,
  type ClientOptions,
  createApiClient,
  type EachOptions,
  type Failure,
  form,
  type Operations,
  type PreconditionFailure,
  readEvents,
  type ServerEvent,
} from '../src/index.ts'

const createNote = z.strictObject({ title: z.string().min(1).max(100) })
const note = toOutputSchema(createNote)
const listNotes = defineListQuery(note, { filters: ['title'], sort: ['createdAt', 'title'] })
const noteSchema = new Schema(
  {
    owner: { type: Schema.Types.ObjectId, required: true },
    title: { type: String, required: true },
  },
  { timestamps: true },
).plugin(versioned)
const NoteModel = model('Note', noteSchema)

const notes = createRouter(
  (route) => [
    route.get(
      '/',
      { query: listNotes, response: note.array(), meta: listMeta },
      async (req, res) => {
        const { data, meta } = await findPage(NoteModel, req.valid.query, { scope: req.scope })
        success(res, data, meta)
      },
    ),
    route.post(
      '/',
      { body: createNote, response: note, status: 201, etag: true, idempotent: true },
      async (req, res) => {
        const created = await createDocument(NoteModel, req.valid.body, { scope: req.scope })
        success(setCreated(res, created), created)
      },
    ),
    route.get('/:id', { params, response: note, etag: true }, async (req, res) => {
      const found = await findDocument(
        NoteModel,
        { _id: req.valid.params.id },
        { scope: req.scope },
      )
      success(res, found)
    }),
    route.patch(
      '/:id',
      { params, body: toPatchSchema(createNote), response: note, etag: true, errors: ['conflict'] },
      async (req, res) => {
        const { scope, valid } = req
        const options = {
          scope,
          match: parseIfMatch(req),
          schema: toPatchSchema(createNote),
          input: valid.body,
        }
        const changed = await patchDocument(NoteModel, { _id: valid.params.id }, options)
        success(res, changed)
      },
    ),
    route.del('/:id', { params, etag: true }, async (req, res) => {
      const options = { scope: req.scope, match: parseIfMatch(req) }
      await deleteDocument(NoteModel, { _id: req.valid.params.id }, options)
      success(res)
    }),
  ],
  { access: 'owner' },
)

const pulse = createRouter([
  // Ends after each event, as a server that restarts does.
  get('/', { access: 'public', response: events(z.object({ count: z.int() })) }, (_req, res) =>
    sendEvents(res, async function* ({ lastEventId = '0' }) {
      const count = Number(lastEventId) + 1
      yield { id: String(count), event: 'pulse', data: { count }, retry: 10 }
    }),
  ),
])

const files = createRouter([
  defineRoute({
    method: 'post',
    path: '/',
    access: 'public',
    body: multipart({
      fields: z.strictObject({ caption: z.string() }),
      files: { file: { maxSize: '1mb' } },
    }),
    response: z.object({ caption: z.string(), size: z.int() }),
    handler(req, res) {
      const { caption, file } = req.valid.body
      success(res, { caption, size: file.size })
    },
  }),
])

const document = { body: 'application/json', data: 'data' } as const

/** What `api client` writes for the routes above. */
const operations = {
  auth: {
    register: { method: 'POST', path: '/api/v1/auth/register', ...document },
    login: { method: 'POST', path: '/api/v1/auth/login', ...document },
    me: { method: 'GET', path: '/api/v1/auth/me', data: 'data' },
  },
  notes: {
    list: { method: 'GET', path: '/api/notes', query: true, cursor: true },
    create: { method: 'POST', path: '/api/notes', ...document, idempotent: true },
    get: { method: 'GET', path: '/api/notes/{id}', data: 'data' },
    patch: {
      method: 'PATCH',
      path: '/api/notes/{id}',
      body: 'application/merge-patch+json',
      data: 'data',
    },
    delete: { method: 'DELETE', path: '/api/notes/{id}' },
  },
  pulse: { follow: { method: 'GET', path: '/api/pulse', events: readEvents } },
  files: { upload: { method: 'POST', path: '/api/files', body: form, data: 'data' } },
} as const satisfies Operations

export interface Note {
  readonly id: string
  readonly title: string
}

export interface NotePage {
  readonly data: readonly Note[]
  readonly meta: object
}

type Credentials = Readonly<Record<'email' | 'password', string>>

export interface NotesClient extends ApiClient {
  readonly auth: {
    register(body: Credentials): Call<{ readonly user: { readonly email: string } }>
    login(body: Credentials): Call<unknown, Failure<'invalid_credentials', 401>>
    me(): Call<{ readonly email: string }>
  }
  readonly notes: {
    list(query?: object, options?: CallOptions): Call<NotePage>
    each(query?: object, options?: EachOptions): AsyncIterable<Note>
    pages(query?: object, options?: EachOptions): AsyncIterable<NotePage>
    create(
      body: { title: string },
      options?: CallOptions,
    ): Call<Note, Failure<'validation_failed', 422> | Failure<'rate_limited', 429>>
    get(id: string, options?: CallOptions): Call<Note, Failure<'not_found', 404>>
    patch(note: string | Note, body: { title: string }): Call<Note, PreconditionFailure<Note>>
    delete(note: string | Note): Call<void, PreconditionFailure<Note>>
  }
  readonly pulse: { follow(options?: CallOptions): AsyncIterable<ServerEvent> }
  readonly files: {
    upload(body: { caption: string; file: Blob }): Call<{ caption: string; size: number }>
  }
}

/** A running service, and what it reports. */
export interface Service {
  readonly client: TestClient
  readonly events: string[]
}

export async function startService(): Promise<Service> {
  const names: string[] = []
  const client = await createTestClient(
    createApi({
      name: 'notes',
      routes: createRegistry()
        .use('/api/notes', notes)
        .use('/api/pulse', pulse)
        .use('/api/files', files),
      auth: { limits: false, onEvent: ({ event }: SecurityEvent) => void names.push(event) },
    }),
  )
  return { client, events: names }
}

export function createNotesClient(options: ClientOptions): NotesClient {
  return createApiClient<NotesClient>(operations, options)
}
