import jwt from 'jsonwebtoken'
import { User } from '../models/user.js'

export async function authorize(req, res, next) {
  try {
    const [, token] = (req.headers.authorization ?? '').split(' ')
    const { id } = jwt.verify(token, process.env.JWT_SECRET)
    req.account = await User.findById(id)
  } catch {
    return res.status(401).json({ message: 'log in first' })
  }
  next()
}
