import { createRouter, success } from '@create-api/core'
import {
  createDocument,
  defineListQuery,
  findPage,
  listMeta,
  objectId,
} from '@create-api/core/resource'
import { model, Schema } from 'mongoose'
import { z } from 'zod'

/** Notes of the customers; the schema is the one that the shop always had. */
export const NoteModel = model(
  'Note',
  new Schema({
    text: { type: String, required: true, maxlength: 1000 },
    owner: { type: String, required: true, index: true },
  }),
)

const createNote = z.strictObject({ text: z.string().min(1).max(1000) })
const note = z.object({ id: objectId, text: z.string() })
const listNotes = defineListQuery(note, { defaultSort: ['-id'] })

/** The first resource that moved. */
export const notesRouter = createRouter(
  (route) => [
    route.get(
      '/',
      { query: listNotes, response: note.array(), meta: listMeta },
      async (req, res) => {
        const page = await findPage(NoteModel, req.valid.query, { scope: req.scope })
        success(res, page.data, page.meta)
      },
    ),
    route.post('/', { body: createNote, response: note, status: 201 }, async (req, res) => {
      success(
        res.status(201),
        await createDocument(NoteModel, req.valid.body, { scope: req.scope }),
      )
    }),
  ],
  { access: 'owner' },
)
