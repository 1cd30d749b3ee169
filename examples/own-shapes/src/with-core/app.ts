import { type Api, createApi, createRegistry } from '@create-api/core'
import { type AuthOptions, createAuth } from '@create-api/core/auth'
import { z } from 'zod'
import { articlesRouter, tagsRouter } from './articles.ts'
import { commentsRouter } from './comments.ts'
import { errorBody, formatError } from './errors.ts'
import { profilesRouter } from './profiles.ts'
import { usersRouter } from './users.ts'

/**
 * The same API with the framework. Mongoose is connected by the application.
 * @param options - options of authentication, such as the secrets
 */
export function createConduit(options: AuthOptions): Api {
  const auth = createAuth({
    ...options,
    schemes: ['Token'],
    accessLifetime: '7d',
    routes: false,
    userFields: {
      model: {
        username: { type: String, required: true, unique: true },
        bio: { type: String, default: null },
        image: { type: String, default: null },
      },
      input: { username: z.string() },
    },
  })
  const routes = createRegistry()
    .use('/api', usersRouter)
    .use('/api/profiles', profilesRouter)
    .use('/api/articles/:slug/comments', commentsRouter)
    .use('/api/articles', articlesRouter)
    .use('/api/tags', tagsRouter)
  return createApi({
    name: 'conduit',
    routes,
    auth,
    database: false,
    errors: { format: formatError },
    openapi: { problem: { contentType: 'application/json', schema: errorBody } },
  })
}
