import { type RequestHandler } from 'express'
import session from 'express-session'
import { refuse } from './errors.ts'

declare module 'express-session' {
  interface SessionData {
    customer: string
  }
}

/**
 * Creates the session of the pages, in a cookie. In production it needs a store that survives a restart.
 * @param secret - signs the cookie
 * @returns the middleware
 */
export function createSession(secret: string): RequestHandler {
  return session({
    name: 'shop',
    secret,
    resave: false,
    saveUninitialized: false,
    cookie: { httpOnly: true, sameSite: 'lax' },
  })
}

/** Lets customers with a session pass. */
export const requireCustomer: RequestHandler = (req, _res, next) => {
  next(req.session.customer === undefined ? refuse(401, 'log in first') : undefined)
}
