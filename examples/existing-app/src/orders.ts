import { createRouter, success } from '@create-api/core'
import {
  createDocument,
  defineListQuery,
  findPage,
  integerId,
  integerIds,
  offsetMeta,
  setCreated,
  findDocument,
} from '@create-api/core/resource'
import { model, Schema } from 'mongoose'
import { z } from 'zod'

const orderSchema = new Schema({
  _id: { type: Number, required: true },
  item: { type: String, required: true },
  owner: { type: String, required: true, index: true },
})

/** Orders have numbers as ids, which continue after those of the existing orders. */
export const OrderModel = model('Order', orderSchema.plugin(integerIds))

const createOrder = z.strictObject({ item: z.string().min(1).max(100) })
const order = createOrder.extend({ id: z.int() })
const listOrders = defineListQuery(order, { paging: ['offset'], defaultSort: ['-id'] })
const params = z.strictObject({ id: integerId })

/** The second resource that moved. */
export const ordersRouter = createRouter(
  (route) => [
    route.get(
      '/',
      { query: listOrders, response: order.array(), meta: offsetMeta },
      async (req, res) => {
        const page = await findPage(OrderModel, req.valid.query, { scope: req.scope })
        success(res, page.data, page.meta)
      },
    ),
    route.get('/:id', { params, response: order }, async (req, res) => {
      success(
        res,
        await findDocument(OrderModel, { _id: req.valid.params.id }, { scope: req.scope }),
      )
    }),
    route.post('/', { body: createOrder, response: order, status: 201 }, async (req, res) => {
      const created = await createDocument(OrderModel, req.valid.body, { scope: req.scope })
      success(setCreated(res, created), created)
    }),
  ],
  { access: 'owner' },
)
