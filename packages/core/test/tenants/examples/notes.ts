import { createRouter, del, get, post, success } from '@create-api/core'
import { member, memberRole } from '@create-api/core/tenants'
import {
  createDocument,
  defineListQuery,
  findPage,
  inScope,
  listMeta,
  objectId,
  requireFound,
  toOutputSchema,
  versioned,
} from '@create-api/core/resource'
import { model, Schema } from 'mongoose'
import { z } from 'zod'

const noteSchema = new Schema({
  organization: { type: Schema.Types.ObjectId, required: true, immutable: true },
  slug: { type: String, required: true },
}).plugin(versioned)
noteSchema.index({ organization: 1, slug: 1 }, { unique: true })
const NoteModel = model('Note', noteSchema)

const createNote = z.strictObject({ slug: z.string().max(100) })
const note = toOutputSchema(createNote).omit({ createdAt: true, updatedAt: true })
const listNotes = defineListQuery(note, { filters: ['slug'] })

/** Mounted at `/api/orgs/:org/notes`. */
export const notesRouter = createRouter(
  [
    get('/', { query: listNotes, response: note.array(), meta: listMeta }, async (req, res) => {
      const { data, meta } = await findPage(NoteModel, req.valid.query, { scope: req.scope })
      success(res, data, meta)
    }),
    post('/', { body: createNote, response: note, status: 201 }, async (req, res) => {
      success(
        res.status(201),
        await createDocument(NoteModel, req.valid.body, { scope: req.scope }),
      )
    }),
    del(
      '/:id',
      { access: memberRole('admin'), params: z.object({ org: objectId, id: objectId }) },
      async (req, res) => {
        const filter = inScope(req.scope, { _id: req.valid.params.id })
        requireFound(await NoteModel.findOneAndDelete(filter))
        success(res)
      },
    ),
  ],
  { access: member, model: NoteModel },
)
