import type express from 'express'
import jwt from 'jsonwebtoken'
import { HttpError } from './errors.ts'
import { type User, UserModel } from './user-model.ts'

declare module 'express-serve-static-core' {
  interface Request {
    caller?: User
  }
}

export interface Auth {
  readonly sign: (user: User) => string
  /** Refuses requests without a valid token. */
  readonly required: express.RequestHandler
  /** Lets requests without a token pass; one that is not valid is refused. */
  readonly optional: express.RequestHandler
}

export function createAuth(secret: string): Auth {
  async function authenticate(req: express.Request, isRequired: boolean): Promise<void> {
    const [scheme, token] = (req.get('Authorization') ?? '').split(' ')
    if (scheme === '') {
      if (isRequired) throw unauthorized('is missing')
      return
    }
    if (scheme !== 'Token' || token === undefined) throw unauthorized()
    const user = await UserModel.findById(verify(token)).lean()
    if (!user) throw unauthorized()
    req.caller = user
  }

  function verify(token: string): string {
    try {
      const payload = jwt.verify(token, secret, { algorithms: ['HS256'] })
      if (typeof payload.sub === 'string') return payload.sub
    } catch {}
    throw unauthorized()
  }

  return {
    sign: (user) => jwt.sign({}, secret, { subject: String(user._id), expiresIn: '7d' }),
    required: async (req, _res, next) => {
      await authenticate(req, true)
      next()
    },
    optional: async (req, _res, next) => {
      await authenticate(req, false)
      next()
    },
  }
}

export function callerOf(req: express.Request): User {
  if (!req.caller) throw unauthorized('is missing')
  return req.caller
}

function unauthorized(message = 'is invalid'): HttpError {
  return new HttpError(401, { token: [message] })
}
