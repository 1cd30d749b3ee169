import { createApi } from '@create-api/core'
import { routes } from './routes.js'

export const api = createApi({ name: 'golden', routes, tenants: {} })
