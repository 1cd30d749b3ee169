import { createApi } from '@create-api/core'
import { routes } from './routes.js'

export const api = createApi({
  name: 'blog',
  routes,
  migrations: { directory: new URL('./migrations/', import.meta.url) },
})
