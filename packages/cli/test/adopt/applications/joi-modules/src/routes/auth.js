import { Router } from 'express'
import Joi from 'joi'
import jwt from 'jsonwebtoken'
import { validate } from '../middleware/validate.js'
import { User } from '../models/user.js'

const credentials = Joi.object({
  name: Joi.string(),
  email: Joi.string().email().required(),
  password: Joi.string().min(8).required(),
})

export const authRouter = Router()

authRouter.post('/register', validate(credentials), async (req, res) => {
  const user = await User.create(req.body)
  res.status(201).json({ id: user.id })
})

authRouter.post('/login', validate(credentials), async (req, res) => {
  const user = await User.findOne({ email: req.body.email }).select('+password')
  if (!(await user?.checkPassword(req.body.password))) {
    return res.status(401).json({ message: 'wrong e-mail address or password' })
  }
  res.json({ token: jwt.sign({ id: user.id }, process.env.JWT_SECRET, { expiresIn: '7d' }) })
})
