import { type Request, Router } from 'express'
import { FollowModel } from '../models.ts'
import { profileParams } from '../schemas.ts'
import { type Auth, callerOf } from './auth.ts'
import { HttpError } from './errors.ts'
import { type User, UserModel } from './user-model.ts'

export interface Profile {
  username: string
  bio: string | null
  image: string | null
  following: boolean
}

export function createProfilesRouter(auth: Auth): Router {
  const router = Router()

  router.get('/:username', auth.optional, async (req, res) => {
    const user = await findUser(req)
    const [profile] = await toProfiles([user], req.caller)
    res.json({ profile })
  })

  router.post('/:username/follow', auth.required, async (req, res) => {
    const user = await findUser(req)
    const follow = { follower: String(callerOf(req)._id), followed: String(user._id) }
    await FollowModel.updateOne(follow, follow, { upsert: true })
    const [profile] = await toProfiles([user], req.caller)
    res.json({ profile })
  })

  router.delete('/:username/follow', auth.required, async (req, res) => {
    const user = await findUser(req)
    await FollowModel.deleteOne({
      follower: String(callerOf(req)._id),
      followed: String(user._id),
    })
    const [profile] = await toProfiles([user], req.caller)
    res.json({ profile })
  })

  return router
}

async function findUser(req: Request): Promise<User> {
  const params = profileParams.safeParse(req.params)
  const user = params.success
    ? await UserModel.findOne({ username: params.data.username }).lean()
    : undefined
  if (!user) throw new HttpError(404, { profile: ['not found'] })
  return user
}

/** Profiles as a caller sees them. */
export async function toProfiles(users: readonly User[], caller?: User): Promise<Profile[]> {
  const followed = await findFollowed(
    users.map(({ _id }) => String(_id)),
    caller,
  )
  return users.map(({ _id, username, bio, image }) => ({
    username,
    bio,
    image,
    following: followed.has(String(_id)),
  }))
}

async function findFollowed(ids: readonly string[], caller?: User): Promise<Set<string>> {
  if (!caller) return new Set()
  const follows = await FollowModel.find({
    follower: String(caller._id),
    followed: { $in: ids },
  }).lean()
  return new Set(follows.map(({ followed }) => followed))
}
