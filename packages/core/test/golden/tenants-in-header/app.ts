import { createApi } from '@create-api/core'
import { createTenants } from '@create-api/core/tenants'
import { routes } from './routes.js'

export const api = createApi({ name: 'golden', routes, tenants: createTenants({ from: 'header' }) })
