import { createRegistry } from '@create-api/core'
// <api:imports> `api generate` adds imports above the closing line
import { authorsRouter } from './resources/authors/authors.routes.js'
import { postsRouter } from './resources/posts/posts.routes.js'
import { commentsRouter } from './resources/comments/comments.routes.js'
// </api:imports>

export const routes = createRegistry()

// <api:mounts> `api generate` adds mounts above the closing line
routes.use('/api/authors', authorsRouter)
routes.use('/api/posts', postsRouter)
routes.use('/api/posts/:postId/comments', commentsRouter)
// </api:mounts>
