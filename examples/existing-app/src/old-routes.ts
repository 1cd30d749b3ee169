import express, { Router } from 'express'
import { refuse } from './errors.ts'
import { NoteModel } from './notes.ts'
import { OrderModel } from './orders.ts'
import { requireCustomer } from './session.ts'

/** The JSON of the shop as it always was: for a session in a cookie, with the shop's own bodies. */
export const oldRoutes: Router = Router()

oldRoutes.use(express.json())
oldRoutes.get('/shop/notes', requireCustomer, async (req, res) => {
  const notes = await NoteModel.find({ owner: String(req.session.customer) }).sort({ _id: -1 })
  res.json({ ok: true, notes: notes.map(({ id, text }) => ({ id, text })) })
})
oldRoutes.post('/shop/notes', requireCustomer, async (req, res) => {
  const { text } = Object(req.body)
  if (typeof text !== 'string' || text === '') throw refuse(400, 'text is missing')
  const { id } = await NoteModel.create({ text, owner: String(req.session.customer) })
  res.status(201).json({ ok: true, note: id })
})
oldRoutes.get('/shop/orders', requireCustomer, async (req, res) => {
  const orders = await OrderModel.find({ owner: String(req.session.customer) }).lean()
  res.json({ ok: true, orders: orders.map(({ _id: number, item }) => ({ number, item })) })
})
oldRoutes.post('/shop/orders', requireCustomer, async (req, res) => {
  const { item } = Object(req.body)
  if (typeof item !== 'string' || item === '') throw refuse(400, 'item is missing')
  const { _id: number } = await OrderModel.create({ item, owner: String(req.session.customer) })
  res.status(201).json({ ok: true, number })
})
