import { createApi, createRegistry } from '@create-api/core'
import { createAuth } from '@create-api/core/auth'
import express, { type Express } from 'express'
import { z } from 'zod'
import { bcryptHashes, customers } from './customers.ts'
import { sendShopError, shopError, toShopError } from './errors.ts'
import { notesRouter } from './notes.ts'
import { oldRoutes } from './old-routes.ts'
import { ordersRouter } from './orders.ts'
import { createPages } from './pages.ts'
import { createSession } from './session.ts'

const routers = { notes: notesRouter, orders: ordersRouter }

/** A resource of the shop that the API can serve. */
export type Resource = keyof typeof routers

/**
 * A shop that was there before: pages with a session in a cookie, its own bodies and errors, customers
 * with bcrypt hashes. Its resources move to the API one at a time; the old routes stay as long as
 * somebody calls them, on the same collections.
 * @param secret - 32 random bytes or more, as base64 or hex
 * @param moved - the resources that the API serves so far
 * @returns the app, once the indexes are built
 */
export async function createApp(
  secret: string,
  moved: readonly Resource[] = ['notes', 'orders'],
): Promise<Express> {
  const auth = createAuth({
    secrets: [secret],
    users: customers,
    password: { legacy: bcryptHashes },
    userFields: {
      model: { name: String },
      input: { name: z.string().min(1).max(100) },
      output: { name: z.string() },
    },
    mail: false,
  })
  const routes = createRegistry()
  for (const name of moved) routes.use(`/api/${name}`, routers[name])
  const api = createApi({
    name: 'shop',
    auth,
    routes,
    // The shop connects Mongoose itself, has a home page, and has its own form of errors.
    database: false,
    health: false,
    errors: { format: toShopError },
    openapi: { problem: { contentType: 'application/json', schema: shopError } },
  })
  await auth.init()

  const app = express()
  // Before the parsers of the shop: the API reads bodies itself. What it does not know goes on to the shop.
  app.use(api.app)
  app.get('/', (_req, res) => {
    res.send('<h1>The shop</h1>')
  })
  app.use(createSession(secret), createPages(auth), oldRoutes)
  app.use(sendShopError)
  return app
}
