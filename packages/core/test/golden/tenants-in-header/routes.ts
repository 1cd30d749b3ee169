import { createRegistry } from '@create-api/core'
import { categoriesRouter } from './resources/categories/categories.routes.js'
import { commentsRouter } from './resources/comments/comments.routes.js'
import { postsRouter } from './resources/posts/posts.routes.js'

export const routes = createRegistry()
  .use('/api/categories', categoriesRouter)
  .use('/api/posts', postsRouter)
  .use('/api/posts/:postSlug/comments', commentsRouter)
