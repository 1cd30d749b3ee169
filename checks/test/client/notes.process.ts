import {
  type Api,
  createApi,
  createRegistry,
  createRouter,
  get,
  post,
  success,
} from '@create-api/core'
import mongoose, { Schema } from 'mongoose'
import { z } from 'zod'

// A service whose access tokens live two seconds: started by notes-service.ts, which is told of every
// event of authentication.
const Note = mongoose.model('Note', new Schema({ text: { type: String, required: true } }))
const note = z.strictObject({ text: z.string().max(100) })

const notes = createRouter(
  [
    get('/', { response: z.array(z.string()) }, async (_req, res) => {
      success(res, await Note.distinct('text'))
    }),
    get('/count', { response: z.object({ count: z.int() }) }, async (_req, res) => {
      success(res, { count: await Note.countDocuments() })
    }),
    post('/', { body: note, response: note, status: 201, idempotent: true }, async (req, res) => {
      await Note.create(req.valid.body)
      success(res.status(201), req.valid.body)
    }),
  ],
  { access: 'user' },
)

const api: Api = createApi({
  name: 'notes',
  routes: createRegistry().use('/api/notes', notes),
  auth: {
    accessLifetime: '2s',
    clockTolerance: '0s',
    limits: false,
    mail: false,
    ...(process.env['COOKIES'] === '1'
      ? { cookies: { origins: process.env['CORS_ORIGINS']?.split(',') } }
      : {}),
    onEvent: (event) => void process.send?.(event),
  },
})
const { url } = await api.start()
process.send?.({ url })
