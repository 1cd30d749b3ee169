import { hash, verify } from '@node-rs/argon2'
import { Router } from 'express'
import { z } from 'zod'
import { credentials, newUser, userChanges } from '../schemas.ts'
import { type Auth, callerOf } from './auth.ts'
import { HttpError } from './errors.ts'
import { type User, UserModel } from './user-model.ts'

export function createUsersRouter(auth: Auth): Router {
  const router = Router()

  router.post('/users', async (req, res) => {
    const { user } = z.strictObject({ user: newUser }).parse(req.body)
    const created = await register(user)
    res.status(201).json({ user: toView(created, auth) })
  })

  router.post('/users/login', async (req, res) => {
    const { user } = z.strictObject({ user: credentials }).parse(req.body)
    res.json({ user: toView(await logIn(user), auth) })
  })

  router.get('/user', auth.required, (req, res) => {
    res.json({ user: toView(callerOf(req), auth) })
  })

  router.put('/user', auth.required, async (req, res) => {
    const { user } = z.strictObject({ user: userChanges }).parse(req.body)
    res.json({ user: toView(await update(callerOf(req), user), auth) })
  })

  return router
}

async function register(input: z.output<typeof newUser>): Promise<User> {
  return UserModel.create({ ...input, password: await hash(input.password) })
}

// Something to verify when there is no such user: both cases take the same time.
const anyHash = await hash('')

async function logIn({ email, password }: z.output<typeof credentials>): Promise<User> {
  const user = await UserModel.findOne({ email }).lean()
  const isRight = await verify(user?.password ?? anyHash, password)
  if (!user || !isRight) throw new HttpError(401, { credentials: ['invalid'] })
  return user
}

async function update(user: User, changes: z.output<typeof userChanges>): Promise<User> {
  const { password, ...rest } = changes
  const set = password === undefined ? rest : { ...rest, password: await hash(password) }
  const updated = await UserModel.findByIdAndUpdate(user._id, set, {
    returnDocument: 'after',
    runValidators: true,
  }).lean()
  if (!updated) throw new HttpError(401, { token: ['is invalid'] })
  return updated
}

function toView(user: User, auth: Auth): object {
  const { email, username, bio, image } = user
  return { email, token: auth.sign(user), username, bio, image }
}
