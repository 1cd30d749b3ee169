import { Router } from 'express'
import Joi from 'joi'
import { authorize } from '../middleware/authorize.js'
import { validate } from '../middleware/validate.js'
import { Book } from '../models/book.js'

const book = Joi.object({
  title: Joi.string().max(200).required(),
  pages: Joi.number().integer().min(1),
  tags: Joi.array().items(Joi.string()),
})

export const booksRouter = Router()

booksRouter.get('/', async (req, res) => {
  res.json(await Book.find().sort('-_id'))
})

booksRouter.post('/', authorize, validate(book), async (req, res) => {
  res.status(201).json(await Book.create(req.body))
})
