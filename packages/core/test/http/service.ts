import {
  createApi,
  createRegistry,
  createRouter,
  defineRoute,
  success,
  type ApiConfig,
  type Api,
} from '@create-api/core'
import { z } from 'zod'

const note = z.strictObject({
  title: z.string().max(200),
  tags: z.array(z.string()).max(5).optional(),
})
const stored = note.extend({ id: z.string() })
const params = z.object({ id: z.string().regex(/^[0-9a-f]{24}$/) })

const notes = createRouter([
  defineRoute({
    method: 'get',
    path: '/',
    access: 'public',
    query: z.strictObject({
      limit: z
        .string()
        .regex(/^[1-9]\d?$/)
        .optional(),
    }),
    response: z.array(stored),
    handler: (_req, res) => success(res, []),
  }),
  defineRoute({
    method: 'post',
    path: '/',
    access: 'public',
    body: note,
    response: stored,
    status: 201,
    handler: (req, res) => success(res.status(201), { id: '0'.repeat(24), ...req.valid.body }),
  }),
  defineRoute({
    method: 'patch',
    path: '/:id',
    access: 'public',
    params,
    body: note.partial(),
    response: stored,
    handler: (req, res) => success(res, { id: req.valid.params.id, title: 'x', ...req.valid.body }),
  }),
  defineRoute({
    method: 'get',
    path: '/:id',
    access: 'public',
    params,
    response: stored,
    handler: (req, res) => success(res, { id: req.valid.params.id, title: 'x' }),
  }),
])

/**
 * A service without a database, with one resource that keeps nothing.
 * @param config what differs
 * @returns the API, not started
 */
export function createNotes(config: Partial<ApiConfig> = {}): Api {
  return createApi({
    name: 'notes',
    routes: createRegistry().use('/api/notes', notes),
    environment: 'test',
    auth: false,
    database: false,
    rateLimit: false,
    server: {
      host: '127.0.0.1',
      port: 0,
      headersTimeout: 2,
      requestTimeout: 3,
      drainDelay: 0,
      shutdownTimeout: 1,
    },
    ...config,
  })
}
