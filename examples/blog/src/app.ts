import { createApi } from '@create-api/core'
import { createMigrations } from '@create-api/core/migrations'
import { routes } from './routes.js'

export const api = createApi({
  name: 'blog',
  routes,
  migrations: createMigrations({ directory: new URL('./migrations/', import.meta.url) }),
})
