import { type Api, createApi, createRegistry } from '@create-api/core'
import { articlesRouter, tagsRouter } from './articles.ts'
import { auth } from './auth.ts'
import { commentsRouter } from './comments.ts'
import { errorBody, formatError } from './errors.ts'
import { profilesRouter } from './profiles.ts'
import { usersRouter } from './users.ts'

const routes = createRegistry()
  .use('/api', usersRouter)
  .use('/api/profiles', profilesRouter)
  .use('/api/articles/:slug/comments', commentsRouter)
  .use('/api/articles', articlesRouter)
  .use('/api/tags', tagsRouter)

/** The same API with the framework. */
export const api: Api = createApi({
  name: 'conduit',
  routes,
  auth,
  errors: { format: formatError, statuses: { invalid_query: 422 } },
  openapi: { problem: { contentType: 'application/json', schema: errorBody } },
})
