import { createRouter, success } from '@create-api/core'
import {
  createDocument,
  defineListQuery,
  findDocument,
  findPage,
  idParams as params,
  inScope,
  listMeta,
  parseIfMatch,
  patchDocument,
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
const patchPage = toPatchSchema(createPage)
const page = toOutputSchema(createPage)
const listPages = defineListQuery(page, { filters: ['title', 'status'] })
const pageSchema = new Schema(
  {
    title: { type: String, required: true },
    status: { type: String, required: true },
    editors: [String],
    locked: Boolean,
  },
  { timestamps: true },
)
const PageModel = model('Page', pageSchema.plugin(versioned))

export const pagesRouter = createRouter(
  (route) => [
    route.get(
      '/',
      { access: readers, query: listPages, response: page.array(), meta: listMeta },
      async (req, res) => {
        const { data, meta } = await findPage(PageModel, req.valid.query, { scope: req.scope })
        success(res, data, meta)
      },
    ),
    route.get('/:id', { access: readers, params, response: page }, async (req, res) => {
      success(
        res,
        await findDocument(PageModel, { _id: req.valid.params.id }, { scope: req.scope }),
      )
    }),
    route.post('/', { body: createPage, response: page, status: 201 }, async (req, res) => {
      success(
        res.status(201),
        await createDocument(PageModel, req.valid.body, { scope: req.scope }),
      )
    }),
    route.patch(
      '/:id',
      { params, body: patchPage, response: page, errors: ['conflict'] },
      async (req, res) => {
        const { scope, valid } = req
        const match = parseIfMatch(req)
        const options = { scope, match, schema: patchPage, input: valid.body }
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
