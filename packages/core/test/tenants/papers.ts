import {
  all,
  createRouter,
  del,
  get,
  patch,
  post,
  put,
  type Router,
  success,
} from '@create-api/core'
import { member, memberRole } from '@create-api/core/tenants'
import {
  createDocument,
  defineListQuery,
  defineView,
  findPage,
  includeReferences,
  listMeta,
  objectId,
  parseIfMatch,
  patchDocument,
  replaceDocument,
  requireReferences,
  setCreated,
  setEtag,
  toOutputSchema,
  toPatchSchema,
  versioned,
  findDocument,
  deleteDocument,
} from '@create-api/core/resource'
import { model, Schema } from 'mongoose'
import { z } from 'zod'

const reference = (ref: string) => ({ type: Schema.Types.ObjectId, ref })
const fixed = { required: true, immutable: true } as const

const schema = new Schema(
  {
    organization: { ...reference('Organization'), ...fixed },
    owner: { ...reference('User'), ...fixed },
    title: { type: String, required: true },
    tags: [String],
    follows: reference('Paper'),
  },
  { collection: 'papers', timestamps: true },
).plugin(versioned)

/** With `organizations`, queries of papers forget the organization, to show that tests notice. */
export const forgotten = { organizations: false }

schema.pre(
  ['find', 'findOne', 'countDocuments', 'findOneAndUpdate', 'findOneAndDelete'],
  function forget() {
    if (forgotten.organizations) this.setQuery(withoutOrganization(this.getFilter()))
  },
)

function withoutOrganization(filter: Record<string, unknown>): object {
  const { $and, ...others } = filter
  const rest = Object.fromEntries(
    Object.entries(others).filter(([name]) => name !== 'organization'),
  )
  if (!Array.isArray($and)) return rest
  const parts = $and.map(withoutOrganization).filter((part) => Object.keys(part).length > 0)
  return parts.length > 0 ? { ...rest, $and: parts } : rest
}

// With the type that Mongoose infers: one that is written here is not assignable in each order of checking.
const define = () => model('Paper', schema, 'papers', { overwriteModels: true })

/** A resource with everything: references, includes, fields, search, cursors, ETags. Each test file of a process defines it. */
export function definePaperModel(): ReturnType<typeof define> {
  return define()
}

const createPaper = z.strictObject({
  title: z.string().max(200),
  tags: z.array(z.string()).max(5).optional(),
  follows: objectId.optional(),
})
const paper = toOutputSchema(createPaper)
const view = defineView(paper, {
  fields: ['title', 'follows'],
  include: { follows: { response: paper, access: member } },
})
const listPapers = defineListQuery(paper, {
  filters: ['title', 'tags', 'follows', 'createdAt'],
  sort: ['title', 'createdAt'],
  search: ['title'],
  view,
})
const response = view.response

/** Who may write what differs on purpose. With `inPath` it is mounted below `/api/orgs/:org`. */
export function createPapersRouter(inPath: boolean): Router {
  const org = z.object(inPath ? { org: objectId } : {})
  const params = org.extend({ id: objectId })
  const PaperModel = definePaperModel()
  return createRouter(
    [
      get(
        '/',
        { params: org, query: listPapers, response: response.array(), meta: listMeta },
        async (req, res) => {
          const { query } = req.valid
          const page = await findPage(PaperModel, query, { scope: req.scope })
          success(res, await includeReferences(PaperModel, page.data, { query }), page.meta)
        },
      ),
      post(
        '/',
        {
          access: all(member, 'owner'),
          params: org,
          body: createPaper,
          response: paper,
          status: 201,
          etag: true,
          idempotent: true,
        },
        async (req, res) => {
          const { body } = req.valid
          await requireReferences(PaperModel, body, { references: req.references })
          const created = await createDocument(PaperModel, body, { scope: req.scope })
          success(setCreated(res, created), created)
        },
      ),
      get('/:id', { params, query: view.query, response, etag: true }, async (req, res) => {
        const { params: key, query } = req.valid
        const found = await findDocument(PaperModel, { _id: key.id }, { scope: req.scope })
        const shown = await includeReferences(PaperModel, found, { query })
        success(setEtag(res, found), shown)
      }),
      put(
        '/:id',
        {
          params,
          body: createPaper,
          response: paper,
          etag: true,
          access: memberRole('admin', 'editor'),
        },
        async (req, res) => {
          const { body: input, params: key } = req.valid
          await requireReferences(PaperModel, input, { references: req.references })
          const match = parseIfMatch(req)
          const options = { scope: req.scope, match, schema: createPaper, input }
          const changed = await replaceDocument(PaperModel, { _id: key.id }, options)
          success(res, changed)
        },
      ),
      patch(
        '/:id',
        {
          params,
          body: toPatchSchema(createPaper),
          response: paper,
          etag: true,
          errors: ['conflict'],
        },
        async (req, res) => {
          const { body, params: key } = req.valid
          await requireReferences(PaperModel, body, { references: req.references })
          const match = parseIfMatch(req)
          const options = {
            scope: req.scope,
            match,
            schema: toPatchSchema(createPaper),
            input: body,
          }
          const changed = await patchDocument(PaperModel, { _id: key.id }, options)
          success(res, changed)
        },
      ),
      del('/:id', { params, etag: true, access: all(member, 'owner') }, async (req, res) => {
        const options = { scope: req.scope, match: parseIfMatch(req) }
        await deleteDocument(PaperModel, { _id: req.valid.params.id }, options)
        success(res)
      }),
    ],
    { access: member, references: { follows: member }, model: PaperModel },
  )
}
