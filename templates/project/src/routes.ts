import { createRegistry } from '@create-api/core'
// <api:imports> `api generate` adds imports above the closing line
// </api:imports>

export const routes = createRegistry()

// <api:mounts> `api generate` adds mounts above the closing line
// </api:mounts>
