import mongoose, { model, Schema } from 'mongoose'
import { z } from 'zod'
import { createApi, createRegistry, createRouter, defineRoute, success } from '../../src/index.ts'
import { setCreated, toOutputSchema, versioned } from '../../src/resource.ts'

// One process of a service, started by idempotency-processes.system.test.ts. With `hang` it says that it
// works, and never ends.
const { uri, databaseName, hang } = z
  .object({ uri: z.string(), databaseName: z.string(), hang: z.boolean() })
  .parse(JSON.parse(process.argv[2] ?? ''))

const createOrder = z.strictObject({ item: z.string() })
const orderSchema = new Schema({ item: { type: String, required: true } }, { timestamps: true })
const OrderModel = model('ProcessOrder', orderSchema.plugin(versioned))

const orders = createRouter([
  defineRoute({
    method: 'post',
    path: '/',
    access: 'public',
    body: createOrder,
    response: toOutputSchema(createOrder),
    status: 201,
    etag: true,
    idempotent: true,
    async handler(req, res) {
      if (hang) {
        process.send?.({ working: true })
        await new Promise(() => {})
      }
      const created = (await OrderModel.create(req.valid.body)).toObject()
      success(setCreated(res, created), created)
    },
  }),
])

const api = createApi({
  name: 'orders',
  routes: createRegistry().use('/api/orders', orders),
  auth: false,
  database: { uri },
  log: { level: 'silent' },
})
const { url } = await api.start({ port: 0, databaseName, signals: false })
process.send?.({ url })
process.once('disconnect', () => {
  void mongoose.disconnect().finally(() => process.exit())
})
