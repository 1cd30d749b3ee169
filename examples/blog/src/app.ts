import { createApi } from '@create-api/core'
import { createMigrations } from '@create-api/core/migrations'
import { routes } from './routes.js'
import { signIn } from './sign-in.js'

export const api = createApi({
  name: 'blog',
  routes,
  migrations: createMigrations({ directory: new URL('./migrations/', import.meta.url) }),
  auth: { signIn },
})
