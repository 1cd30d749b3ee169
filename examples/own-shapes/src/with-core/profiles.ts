import { createRouter, success, type User } from '@create-api/core'
import { requireFound } from '@create-api/core/resource'
import { model, Schema, type Types } from 'mongoose'
import { type z } from 'zod'
import { FollowModel } from '../models.ts'
import { profileParams as params } from '../schemas.ts'
import { profile } from './views.ts'

interface PublicUser {
  _id: Types.ObjectId
  username: string
  bio: string | null
  image: string | null
}

// What the API shows of users. Their collection belongs to authentication.
const nullable = { type: String, default: null }
export const PublicUserModel = model<PublicUser>(
  'PublicUser',
  new Schema<PublicUser>(
    { username: String, bio: nullable, image: nullable },
    { collection: 'users' },
  ),
)

export type Profile = z.output<typeof profile>

export const profilesRouter = createRouter(
  (route) => [
    route.get('/:username', { access: 'optional', response: profile }, async (req, res) => {
      success(res, await show(req.valid.params.username, req.user))
    }),
    route.post('/:username/follow', { response: profile }, async (req, res) => {
      const follow = await toFollow(req.user, req.valid.params.username)
      await FollowModel.updateOne(follow, follow, { upsert: true })
      success(res, await show(req.valid.params.username, req.user))
    }),
    route.del('/:username/follow', { response: profile }, async (req, res) => {
      await FollowModel.deleteOne(await toFollow(req.user, req.valid.params.username))
      success(res, await show(req.valid.params.username, req.user))
    }),
  ],
  { access: 'user', params, tag: 'profiles', envelope: (data) => ({ profile: data }) },
)

async function show(username: string, caller?: User): Promise<Profile> {
  const [found] = await toProfiles([await findUser(username)], caller)
  return requireFound(found)
}

async function findUser(username: string): Promise<PublicUser> {
  return requireFound(await PublicUserModel.findOne({ username }).lean())
}

async function toFollow({ id }: User, username: string): Promise<object> {
  const { _id: followed } = await findUser(username)
  return { follower: id, followed: String(followed) }
}

/** Profiles as a caller sees them. */
export async function toProfiles(users: readonly PublicUser[], caller?: User): Promise<Profile[]> {
  const ids = users.map(({ _id }) => String(_id))
  const follows = caller
    ? await FollowModel.find({ follower: caller.id, followed: { $in: ids } }).lean()
    : []
  const followed = new Set(follows.map((follow) => follow.followed))
  return users.map(({ _id, ...user }) => ({ ...user, following: followed.has(String(_id)) }))
}

/** The profiles of users by id. */
export async function findProfiles(
  ids: readonly string[],
  caller?: User,
): Promise<Map<string, Profile>> {
  const users = await PublicUserModel.find({ _id: { $in: ids } }).lean()
  const profiles = await toProfiles(users, caller)
  return new Map(profiles.map((found, index) => [String(users[index]?._id), found]))
}
