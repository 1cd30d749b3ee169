import { createRegistry } from '@create-api/core'
import { categoriesRouter } from './resources/categories/categories.routes.js'
import { commentsRouter } from './resources/comments/comments.routes.js'
import { draftsRouter } from './resources/drafts/drafts.routes.js'
import { notesRouter } from './resources/notes/notes.routes.js'
import { partsRouter } from './resources/parts/parts.routes.js'
import { postsRouter } from './resources/posts/posts.routes.js'
import { remarksRouter } from './resources/remarks/remarks.routes.js'

export const routes = createRegistry()
  .use('/api/categories', categoriesRouter)
  .use('/api/posts', postsRouter)
  .use('/api/posts/:postSlug/comments', commentsRouter)
  .use('/api/drafts', draftsRouter)
  .use('/api/drafts/:draftId/parts', partsRouter)
  .use('/api/notes', notesRouter)
  .use('/api/notes/:noteId/remarks', remarksRouter)
