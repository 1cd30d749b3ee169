import { createRouter, success } from '@create-api/core'
import {
  createInScope,
  defineListQuery,
  findPage,
  idParams as params,
  inScope,
  listMeta,
  parseIfMatch,
  patchDocument,
  requireFound,
  toOutputSchema,
  toPatchSchema,
  versioned,
} from '@create-api/core/resource'
import { model, Schema } from 'mongoose'
import { z } from 'zod'
import { editors, readers } from './access.ts'

const createPage = z.strictObject({
  title: z.string().min(1).max(200),
  status: z.enum(['draft', 'published']),
  editors: z.array(z.string().max(50)).max(20).optional(),
})
const page = toOutputSchema(createPage)
const listPages = defineListQuery(page, { filters: ['title', 'status'] })
const pageSchema = new Schema(
  { title: String, status: String, editors: [String], locked: Boolean },
  { timestamps: true },
)
const PageModel = model('Page', pageSchema.plugin(versioned))

export const pagesRouter = createRouter(
  (route) => [
    route.get(
      '/',
      { access: readers, query: listPages, response: page.array(), meta: listMeta },
      async (req, res) => {
        const { data, meta } = await findPage(PageModel, req.scope, req.valid.query)
        success(res, data, meta)
      },
    ),
    route.get('/:id', { access: readers, params, response: page }, async (req, res) => {
      const filter = inScope(req.scope, { _id: req.valid.params.id })
      success(res, requireFound(await PageModel.findOne(filter).lean()))
    }),
    route.post('/', { body: createPage, response: page, status: 201 }, async (req, res) => {
      success(res.status(201), await createInScope(PageModel, req.scope, req.valid.body))
    }),
    route.patch(
      '/:id',
      { params, body: toPatchSchema(createPage), response: page, errors: ['conflict'] },
      async (req, res) => {
        const { scope, valid } = req
        const { body: patch } = valid
        const options = { schema: createPage, patch, match: parseIfMatch(req), scope }
        success(res, await patchDocument(PageModel, { _id: valid.params.id }, options))
      },
    ),
    route.put(
      '/:id/lock',
      { params, load: ({ id }) => PageModel.findById(id).lean() },
      async (req, res) => {
        const { _id } = req.document
        await PageModel.updateOne(inScope(req.scope, { _id }), { $set: { locked: true } })
        success(res)
      },
    ),
  ],
  { access: editors },
)
