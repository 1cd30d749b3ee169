import { createRouter, get, post, put, success, type User } from '@create-api/core'
import { z } from 'zod'
import { credentials, newUser, userChanges } from '../schemas.ts'
import { auth } from './auth.ts'
import { user } from './views.ts'

const registration = z.strictObject({ user: newUser })
const login = z.strictObject({ user: credentials })
const changes = z.strictObject({ user: userChanges })
const taken = ['email_taken', 'duplicate'] as const

export const usersRouter = createRouter(
  [
    post(
      '/users',
      { body: registration, response: user, status: 201, errors: taken },
      async (req, res) => {
        const { username, ...account } = req.valid.body.user
        const grant = await auth.register({ ...account, fields: { username } }, req)
        success(res.status(201), toView(grant.user, grant.accessToken))
      },
    ),
    post(
      '/users/login',
      { body: login, response: user, errors: ['invalid_credentials'] },
      async (req, res) => {
        const grant = await auth.login(req.valid.body.user, req)
        success(res, toView(grant.user, grant.accessToken))
      },
    ),
    get('/user', { access: 'user', response: user }, (req, res) => {
      success(res, toView(req.user, auth.readToken(req)))
    }),
    put(
      '/user',
      { access: 'user', body: changes, response: user, errors: taken },
      async (req, res) => {
        const { email, password, ...fields } = req.valid.body.user
        await auth.users.update(req.user.id, { email, password, fields }, req)
        // A new password ends all sessions.
        const grant = await auth.issueTokens(req.user, req)
        success(res, toView(grant.user, grant.accessToken))
      },
    ),
  ],
  { access: 'public', tag: 'users', envelope: (data) => ({ user: data }) },
)

function toView(account: User, token: string): z.output<typeof user> {
  return { ...account, token }
}
