import { defineRule } from '@create-api/core'

/** The author of an article or a comment. */
export const byAuthor = defineRule('author', (user) => ({ author: user.id }))
