import { createApi, createRegistry, createRouter, defineRoute, success } from '@create-api/core'
import { z } from 'zod'

// A service on the built packages, as an application would start it with `bun`.
const echo = createRouter([
  defineRoute({
    method: 'post',
    path: '/:id',
    access: 'user',
    params: z.object({ id: z.string() }),
    body: z.strictObject({ text: z.string().min(1) }),
    response: z.object({ id: z.string(), text: z.string(), by: z.string() }),
    handler(req, res) {
      success(res, { ...req.valid.params, ...req.valid.body, by: req.user.email })
    },
  }),
])
const api = createApi({ routes: createRegistry().use('/api/echo', echo), environment: 'test' })
const { url } = await api.start({ port: 0 })
process.stdout.write(`${url}\n`)
