import { createRegistry } from '@create-api/core'
import { postsRouter } from './resources/posts/posts.routes.js'

export const routes = createRegistry()

routes.use('/api/posts', postsRouter)
