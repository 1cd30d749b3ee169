import express, { type Express } from 'express'
import helmet from 'helmet'
import { createArticlesRouter, createTagsRouter } from './articles.ts'
import { createAuth } from './auth.ts'
import { createCommentsRouter } from './comments.ts'
import { errorHandler, notFound } from './errors.ts'
import { createProfilesRouter } from './profiles.ts'
import { createUsersRouter } from './users.ts'

/** The API on plain Express. Mongoose is connected. */
export function createApp(secret: string): Express {
  const auth = createAuth(secret)
  const app = express()
  app.use(helmet())
  app.use(express.json({ limit: '100kb' }))
  app.use('/api', createUsersRouter(auth))
  app.use('/api/profiles', createProfilesRouter(auth))
  app.use('/api/articles', createArticlesRouter(auth), createCommentsRouter(auth))
  app.use('/api/tags', createTagsRouter())
  app.use(notFound, errorHandler)
  return app
}
