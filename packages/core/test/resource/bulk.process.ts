import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import mongoose, { model, Schema } from 'mongoose'
import { z } from 'zod'
import { withBulk } from '../../src/bulk.ts'
import { createApi, createRegistry, createRouter, get, post, success } from '../../src/index.ts'
import { createDocument, setCreated, toOutputSchema, versioned } from '../../src/resource.ts'

// A service with bulk requests, started by bulk-faults.system.test.ts. For each message it reports the memory that it uses.
const [uri = ''] = process.argv.slice(2)

mongoose.set('transactionAsyncLocalStorage', true)

const createEntry = z.strictObject({
  batch: z.string(),
  number: z.int(),
  text: z.string().max(8000),
})
const entry = toOutputSchema(createEntry).omit({ createdAt: true, updatedAt: true })
const schema = new Schema({
  batch: { type: String, required: true, index: true },
  number: { type: Number, required: true },
  text: { type: String, required: true },
}).plugin(versioned)
const EntryModel = model('FaultEntry', schema)

const entries = withBulk(
  createRouter(
    [
      get(
        '/',
        { query: z.object({ batch: z.string() }), response: z.array(z.int()) },
        async (req, res) => {
          const { batch } = req.valid.query
          const found = await EntryModel.find({ batch }, { number: 1 }).sort({ _id: 1 }).lean()
          success(
            res,
            found.map(({ number }) => number),
          )
        },
      ),
      post(
        '/',
        { body: createEntry, response: entry, status: 201, etag: true },
        async (req, res) => {
          const document = await createDocument(EntryModel, req.valid.body, { scope: req.scope })
          success(setCreated(res, document), document)
        },
      ),
    ],
    { access: 'public', model: EntryModel },
  ),
  { limit: 10_000 },
)

// Takes items without a database, as fast as they come.
let taken = 0
const samples = withBulk(
  createRouter(
    [
      post('/', { body: createEntry, response: z.object({ count: z.int() }) }, (_req, res) => {
        success(res, { count: ++taken })
      }),
    ],
    { access: 'public' },
  ),
)

const api = createApi({
  name: 'bulk-faults',
  routes: createRegistry().use('/api/entries', entries).use('/api/samples', samples),
  auth: false,
  rateLimit: false,
  database: { uri },
  log: { level: 'silent' },
})
const { url } = await api.start({ port: 0, signals: false })
setFlagsFromString('--expose-gc')
const collect: unknown = runInNewContext('gc')
process.on('message', () => {
  if (typeof collect === 'function') collect()
  const { heapUsed, external } = process.memoryUsage()
  process.send?.({ used: heapUsed + external })
})
process.once('disconnect', () => void api.stop().finally(() => process.exit()))
process.send?.({ url })
