import { createRouter, success, type User } from '@create-api/core'
import { type StoredUser } from '@create-api/core/auth'
import { requireFound } from '@create-api/core/resource'
import { type z } from 'zod'
import { FollowModel } from '../models.ts'
import { profileParams as params } from '../schemas.ts'
import { auth } from './auth.ts'
import { profile } from './views.ts'

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
  const user = await findUser(username)
  return requireFound((await toProfiles([user], caller)).get(user.id))
}

async function findUser(username: string): Promise<StoredUser> {
  return requireFound(await auth.users.findBy('username', username))
}

async function toFollow({ id }: User, username: string): Promise<object> {
  return { follower: id, followed: (await findUser(username)).id }
}

/** The profiles of users by id, as a caller sees them. */
export async function findProfiles(
  ids: readonly string[],
  caller?: User,
): Promise<Map<string, Profile>> {
  return toProfiles(await auth.users.findMany([...new Set(ids)]), caller)
}

async function toProfiles(
  users: readonly StoredUser[],
  caller?: User,
): Promise<Map<string, Profile>> {
  const followed = await findFollowed(
    users.map(({ id }) => id),
    caller,
  )
  return new Map(
    users.map(({ id, fields: { username, bio, image } }) => [
      id,
      { username, bio, image, following: followed.has(id) },
    ]),
  )
}

async function findFollowed(ids: readonly string[], caller?: User): Promise<Set<string>> {
  if (!caller) return new Set()
  const follows = await FollowModel.find({ follower: caller.id, followed: { $in: ids } }).lean()
  return new Set(follows.map(({ followed }) => followed))
}
