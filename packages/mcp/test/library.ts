import {
  type Access,
  createApi,
  createRegistry,
  createRouter,
  defineRoute,
  multipart,
  type Api,
  type ApiConfig,
  type Router,
  stream,
  sendStream,
  success,
} from '@create-api/core'
import {
  createDocument,
  defineListQuery,
  defineView,
  deleteDocument,
  findDocument,
  findPage,
  idParams as params,
  instant,
  listMeta,
  objectId,
  parseIfMatch,
  patchDocument,
  replaceDocument,
  setCreated,
  toOutputSchema,
  toPatchSchema,
  versioned,
} from '@create-api/core/resource'
import { createTenants, member as orgMember } from '@create-api/core/tenants'
import { setTimeout } from 'node:timers/promises'
import { model, Schema, type SchemaDefinition } from 'mongoose'
import { z } from 'zod'

const author = z.strictObject({ name: z.string().min(1).max(100) })
const book = z.strictObject({
  title: z.string().min(1).max(200),
  isbn: z.string().regex(/^\d{13}$/),
  copies: z.int().min(0),
  author: objectId.optional(),
})
const member = z.strictObject({ name: z.string().min(1).max(100), email: z.email() })
const loan = z.strictObject({
  book: objectId,
  member: objectId,
  dueAt: instant,
  returned: z.boolean().default(false),
})
const note = z.strictObject({ text: z.string().min(1).max(5000) })

const storedId = { type: Schema.Types.ObjectId }
const required = { ...storedId, required: true }

// oxlint-disable-next-line typescript/explicit-module-boundary-types, typescript/explicit-function-return-type -- the type is that of Mongoose
export function defineModel(name: string, definition: SchemaDefinition) {
  return model(name, new Schema(definition, { timestamps: true }).plugin(versioned))
}

const AuthorModel = defineModel('McpAuthor', { name: String })
const BookModel = defineModel('McpBook', {
  title: String,
  isbn: { type: String, unique: true },
  copies: Number,
  author: storedId,
})
const MemberModel = defineModel('McpMember', { name: String, email: String })
const LoanModel = defineModel('McpLoan', {
  book: required,
  member: required,
  dueAt: Date,
  returned: Boolean,
})
const NoteModel = defineModel('McpNote', { owner: required, text: String })
const MinutesModel = defineModel('McpMinutes', { organization: required, text: String })

interface ResourceOptions<Shape extends z.core.$ZodLooseShape> {
  readonly schema: z.ZodObject<Shape, z.core.$strict>
  readonly model: ReturnType<typeof defineModel>
  readonly filters: readonly string[]
  readonly sort?: readonly string[]
  readonly access: Access
  readonly writes?: Access
}

/** The routes that `api generate resource` writes. */
export function createResource<Shape extends z.core.$ZodLooseShape>(
  options: ResourceOptions<Shape>,
): Router {
  const { access, schema, writes = access, sort = ['createdAt'] } = options
  const { model: Model } = options
  const output = toOutputSchema(schema)
  const patchSchema = toPatchSchema(schema)
  const listing: object = { filters: options.filters, sort }
  const query = defineListQuery(output, listing)
  return createRouter((route) => [
    route.get(
      '/',
      { access, query, response: output.array(), meta: listMeta },
      async (req, res) => {
        const { data, meta } = await findPage(Model, req.valid.query, { scope: req.scope })
        success(res, data as never, meta)
      },
    ),
    route.post(
      '/',
      {
        access: writes,
        body: schema,
        response: output,
        status: 201,
        etag: true,
        idempotent: true,
        errors: ['duplicate'],
      },
      async (req, res) => {
        const input = req.valid.body as Record<string, unknown>
        const created = await createDocument(Model, input, { scope: req.scope })
        success(setCreated(res, created as never), created as never)
      },
    ),
    route.get('/:id', { access, params, response: output, etag: true }, async (req, res) => {
      const { scope, valid } = req
      success(res, (await findDocument(Model, { _id: valid.params.id }, { scope })) as never)
    }),
    route.put(
      '/:id',
      { access: writes, params, body: schema, response: output, etag: true },
      async (req, res) => {
        const { scope, valid } = req
        const input = valid.body as Record<string, unknown>
        const change = { scope, match: parseIfMatch(req), schema, input }
        success(res, (await replaceDocument(Model, { _id: valid.params.id }, change)) as never)
      },
    ),
    route.patch(
      '/:id',
      { access: writes, params, body: patchSchema, response: output, etag: true },
      async (req, res) => {
        const { scope, valid } = req
        const input = valid.body as Record<string, unknown>
        const change = { scope, match: parseIfMatch(req), schema: patchSchema, input }
        success(res, (await patchDocument(Model, { _id: valid.params.id }, change)) as never)
      },
    ),
    route.del('/:id', { access: writes, params, etag: true }, async (req, res) => {
      const { scope, valid } = req
      await deleteDocument(Model, { _id: valid.params.id }, { scope, match: parseIfMatch(req) })
      success(res)
    }),
  ])
}

const loanOutput = toOutputSchema(loan)
const returnedSchema = toPatchSchema(loan)

/** Whether each response of `/api/large` was sent completely, once its connection has closed. */
export const largeResponses: boolean[] = []

const bookOutput = toOutputSchema(book)
const bookView = defineView(bookOutput, { fields: ['title', 'copies'] })
const listCatalogue = defineListQuery(bookOutput, { filters: ['title'], view: bookView })

// Routes that are not those of a resource.
const others = createRouter([
  defineRoute({
    method: 'get',
    path: '/catalogue',
    access: 'public',
    query: listCatalogue,
    response: bookView.response.array(),
    meta: listMeta,
    async handler(req, res) {
      const { data, meta } = await findPage(BookModel, req.valid.query, { scope: req.scope })
      success(res, data as never, meta)
    },
  }),
  defineRoute({
    method: 'get',
    path: '/catalogue/:id',
    access: 'public',
    params,
    query: bookView.query,
    response: bookView.response,
    etag: true,
    async handler(req, res) {
      const { scope, valid } = req
      const options = { scope, query: valid.query }
      success(res, (await findDocument(BookModel, { _id: valid.params.id }, options)) as never)
    },
  }),
  defineRoute({
    method: 'post',
    path: '/loans/:id/return',
    access: 'admin',
    params,
    response: loanOutput,
    async handler(req, res) {
      const { scope, valid } = req
      const change = {
        scope,
        match: parseIfMatch(req),
        schema: returnedSchema,
        input: { returned: true },
      }
      success(res, (await patchDocument(LoanModel, { _id: valid.params.id }, change)) as never)
    },
  }),
  defineRoute({
    method: 'get',
    path: '/whoami',
    access: 'public',
    response: z.object({
      address: z.string(),
      cookie: z.string().optional(),
      requestId: z.string(),
      encrypted: z.boolean(),
    }),
    handler(req, res) {
      success(res, {
        address: req.ip ?? '',
        cookie: req.headers.cookie,
        requestId: req.id,
        encrypted: req.secure,
      })
    },
  }),
  defineRoute({
    method: 'get',
    path: '/large',
    access: 'public',
    response: z.string(),
    async handler(_req, res) {
      res.once('close', () => largeResponses.push(res.writableFinished))
      await setTimeout(100)
      success(res, 'x'.repeat(5_000_000))
    },
  }),
  defineRoute({
    method: 'get',
    path: '/constructor/:name',
    access: 'public',
    params: z.strictObject({ name: z.string() }),
    response: z.object({ name: z.string() }),
    handler: (req, res) => success(res, { name: req.valid.params.name }),
  }),
  defineRoute({
    method: 'get',
    path: '/export',
    access: 'public',
    response: stream({ type: 'text/csv' }),
    handler: (_req, res) =>
      sendStream(res, function* () {
        yield 'title\n'
      }),
  }),
  defineRoute({
    method: 'post',
    path: '/covers',
    access: 'public',
    body: multipart({ fields: z.strictObject({}), files: { file: { maxSize: '1mb' } } }),
    response: z.object({ size: z.int() }),
    handler: (req, res) => success(res, { size: req.valid.body.file.size }),
  }),
])

/** A library: books for everyone, members and loans for librarians, notes for their owners, minutes of organizations. */
export function createLibrary(config: Partial<ApiConfig> = {}): Api {
  const routes = createRegistry()
    .use(
      '/api/authors',
      createResource({
        schema: author,
        model: AuthorModel,
        filters: ['name'],
        access: 'public',
        writes: 'admin',
      }),
    )
    .use(
      '/api/books',
      createResource({
        schema: book,
        model: BookModel,
        filters: ['title', 'isbn', 'copies', 'author'],
        sort: ['createdAt', 'title'],
        access: 'public',
        writes: 'admin',
      }),
    )
    .use(
      '/api/members',
      createResource({
        schema: member,
        model: MemberModel,
        filters: ['name', 'email'],
        access: 'admin',
      }),
    )
    .use(
      '/api/loans',
      createResource({
        schema: loan,
        model: LoanModel,
        filters: ['book', 'member', 'dueAt', 'returned'],
        sort: ['dueAt'],
        access: 'admin',
      }),
    )
    .use(
      '/api/notes',
      createResource({ schema: note, model: NoteModel, filters: [], access: 'owner' }),
    )
    .use(
      '/api/minutes',
      createResource({ schema: note, model: MinutesModel, filters: [], access: orgMember }),
    )
    .use('/api', others)
  return createApi({
    name: 'library',
    routes,
    auth: { limits: false, apiKeys: {} },
    tenants: createTenants({ from: 'header' }),
    rateLimit: { limit: 100_000 },
    ...config,
  })
}

/** Every route of the library that can be a tool. */
export const allTools = {
  read: [
    '/api/authors',
    '/api/books',
    '/api/members',
    '/api/loans',
    '/api/notes',
    '/api/minutes',
    '/api/catalogue',
    'GET /api/whoami',
    'GET /api/constructor/:name',
    'GET /api/v1/auth/me',
  ],
  write: [
    '/api/authors',
    '/api/books',
    '/api/members',
    '/api/loans',
    'POST /api/loans/:id/return',
    '/api/notes',
    '/api/minutes',
  ],
}
