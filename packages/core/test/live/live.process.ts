import { model, Schema } from 'mongoose'
import { z } from 'zod'
import {
  createApi,
  createRegistry,
  createRouter,
  defineRule,
  get,
  success,
} from '../../src/index.ts'
import { live } from '../../src/live.ts'
import {
  defineListQuery,
  findPage,
  listMeta,
  objectId,
  toOutputSchema,
} from '../../src/resource.ts'

// A service with a live list, started by the system tests. For each message it reports the memory that it uses.
const [uri = '', secret = ''] = process.argv.slice(2)

const entry = toOutputSchema(
  z.strictObject({
    team: objectId,
    group: z.string(),
    state: z.enum(['open', 'done']),
    price: z.number(),
    tags: z.array(z.string()),
    version: z.int(),
    at: z.number(),
  }),
).omit({ createdAt: true, updatedAt: true })
const schema = new Schema({
  team: { type: Schema.Types.ObjectId, required: true, index: true },
  group: { type: String, required: true },
  state: { type: String, required: true, enum: ['open', 'done'] as const },
  price: { type: Number, required: true },
  tags: { type: [String], required: true },
  version: { type: Number, required: true },
  at: { type: Number, required: true },
})
const EntryModel = model('LoadEntry', schema, 'entries')

const listEntries = defineListQuery(entry, { filters: ['state', 'price', 'tags'] })
// Two kinds of scopes: one that is decided in the process, and one that only the database decides.
const ofTeam = defineRule(
  'team',
  (_user, req) => {
    const { group, team } = req.headers
    return group === undefined ? { team: String(team) } : { group: String(group) }
  },
  { anonymous: true },
)

const entries = createRouter(
  [
    get(
      '/',
      {
        query: listEntries,
        response: entry.array(),
        meta: listMeta,
        live: live((query, options) => findPage(EntryModel, query, options), { heartbeat: 5000 }),
      },
      async (req, res) => {
        const { data, meta } = await findPage(EntryModel, req.valid.query, { scope: req.scope })
        success(res, data, meta)
      },
    ),
  ],
  { access: ofTeam, model: EntryModel },
)

const api = createApi({
  environment: 'production',
  routes: createRegistry().use('/api/entries', entries),
  auth: { secrets: [secret] },
  database: { uri },
  rateLimit: false,
  server: { maxConcurrentRequests: false, maxEventLoopDelay: false, drainDelay: 0 },
  accessLog: { format: false },
  log: { level: 'info' },
})

const { url } = await api.start({ port: 0 })
process.on('message', () => {
  globalThis.gc?.()
  process.send?.(process.memoryUsage())
})
process.once('disconnect', () => void api.stop().finally(() => process.exit()))
process.send?.({ url })
