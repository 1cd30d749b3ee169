import { createApi, createRegistry, createRouter, get, success } from '@create-api/core'
import { z } from 'zod'

const hello = createRouter([
  get(
    '/:name',
    {
      access: 'public',
      params: z.object({ name: z.string().max(50) }),
      response: z.object({ greeting: z.string() }),
    },
    (req, res) => success(res, { greeting: `Hello, ${req.valid.params.name}!` }),
  ),
])

const routes = createRegistry().use('/api/hello', hello)

export const api = createApi({ name: 'minimal', routes, auth: false, database: false })

await api.start()
