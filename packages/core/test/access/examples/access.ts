import { any, defineRule, role } from '@create-api/core'

export const editors = defineRule('editors', (user) => ({ editors: user.id }))

export const readers = any(
  defineRule('published', () => ({ status: 'published' }), { anonymous: true }),
  editors,
  role('admin'),
)
