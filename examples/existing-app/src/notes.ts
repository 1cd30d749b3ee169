import { createRouter, defineRoute, success, type UserRequest } from '@create-api/core'
import { type Response } from 'express'
import { model, Schema } from 'mongoose'
import { z } from 'zod'

const NoteModel = model(
  'Note',
  new Schema({
    text: { type: String, required: true, maxlength: 1000 },
    owner: { type: String, required: true, index: true },
  }),
)

const createNote = z.strictObject({ text: z.string().min(1).max(1000) })
const note = z.object({ id: z.string(), text: z.string() })

async function create(
  req: UserRequest<{ body: z.output<typeof createNote> }>,
  res: Response,
): Promise<void> {
  const created = await NoteModel.create({ ...req.valid.body, owner: req.user.id })
  success(res.status(201), created.toObject())
}

async function list(req: UserRequest, res: Response): Promise<void> {
  const notes = await NoteModel.find({ owner: req.user.id }).sort({ _id: -1 }).limit(100).lean()
  success(res, notes)
}

export const notesRouter = createRouter([
  defineRoute({ method: 'get', path: '/', access: 'owner', response: note.array(), handler: list }),
  defineRoute({
    method: 'post',
    path: '/',
    access: 'owner',
    body: createNote,
    response: note,
    status: 201,
    handler: create,
  }),
])
