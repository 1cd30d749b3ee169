import { createRegistry } from '@create-api/core'
import { categoriesRouter } from './resources/categories/categories.routes.js'
import { commentsRouter } from './resources/comments/comments.routes.js'
import { draftsRouter } from './resources/drafts/drafts.routes.js'
import { notesRouter } from './resources/notes/notes.routes.js'
import { partsRouter } from './resources/parts/parts.routes.js'
import { postsRouter } from './resources/posts/posts.routes.js'
import { remarksRouter } from './resources/remarks/remarks.routes.js'

export const routes = createRegistry()
  .use('/api/orgs/:org/categories', categoriesRouter)
  .use('/api/orgs/:org/posts', postsRouter)
  .use('/api/orgs/:org/posts/:postSlug/comments', commentsRouter)
  .use('/api/orgs/:org/drafts', draftsRouter)
  .use('/api/orgs/:org/drafts/:draftId/parts', partsRouter)
  .use('/api/orgs/:org/notes', notesRouter)
  .use('/api/orgs/:org/notes/:noteId/remarks', remarksRouter)
