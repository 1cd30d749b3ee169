import { role } from '@create-api/core'

// Who may do what: rules for `access` in routes, beside 'public', 'user', 'owner' and the names of roles. A rule returns
// true, false, or a filter of the documents that the caller can reach; the handler reads it as `req.scope`:
//
//   export const editors = defineRule('editors', (user) => ({ editors: user.id }))
export const admins = role('admin')
