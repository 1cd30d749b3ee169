// The caller of a token by hand: session and user, two lean reads by id.
import mongoose from 'mongoose'
import { user } from '../fixtures.js'

const { model, Schema, Types } = mongoose
const expiresAt = new Date('2100-01-01')

const UserModel = model('User', new Schema({ email: String, roles: [String], disabled: Boolean }))
const SessionModel = model(
  'Session',
  new Schema({ userId: Schema.Types.ObjectId, expiresAt: Date, revokedAt: Date }),
)

/**
 * Connects the database and stores the user with one session, whose ids are those of the token.
 * @returns a function that sets `req.caller`, or throws a 401
 */
export async function connectCallers() {
  await mongoose.connect(process.env.BENCHMARK_DATABASE, { dbName: 'fastify' })
  const _id = new Types.ObjectId(user.id)
  await UserModel.deleteMany({})
  await SessionModel.deleteMany({})
  await UserModel.create({ _id, email: user.email, roles: [], disabled: false })
  await SessionModel.create({ _id, userId: _id, expiresAt })
  return async (req) => {
    const [found, session] = await Promise.all([
      UserModel.findById(req.user.sub).lean(),
      SessionModel.findById(req.user.sub).lean(),
    ])
    const isLive = session && !session.revokedAt && session.expiresAt > new Date()
    if (!found || found.disabled || !isLive) {
      throw Object.assign(new Error('revoked'), { statusCode: 401, code: 'session_revoked' })
    }
    req.caller = found
  }
}
