import { defineListQuery, objectId, toOutputSchema, toPatchSchema } from '@create-api/core/resource'
import { z } from 'zod'

/** What a client sends to create a note. */
export const createNote = z.strictObject({
  title: z.string().max(200).trim().min(1),
  code: z.int(),
})

/** What a client sends to replace a note: PUT replaces the document, so omitted optional fields are removed. */
export const replaceNote = createNote

/** What a client sends to change a note: JSON Merge Patch, where null removes an optional field. */
export const patchNote = toPatchSchema(createNote)

/** What a client receives: the fields above and id, createdAt and updatedAt. */
export const note = toOutputSchema(createNote)

/** Filters and sort fields of the list; each has an index in the model. */
export const listNotes = defineListQuery(note, {
  filters: ['title', 'code', 'createdAt'],
  sort: ['createdAt', 'title'],
})

/** Path parameters of the list. */
export const notesParams = z.strictObject({ org: objectId })

/** Path parameters of one note. */
export const noteParams = notesParams.extend({ id: objectId })

/** @typedef {z.output<typeof createNote>} CreateNote */
/** @typedef {z.output<typeof replaceNote>} ReplaceNote */
/** @typedef {z.output<typeof patchNote>} PatchNote */
/** @typedef {z.output<typeof note>} NoteOutput */
/** @typedef {z.output<typeof listNotes>} ListNotes */
/** @typedef {z.output<typeof noteParams>} NoteParams */
