import { createApi, createRegistry, createRouter, defineRoute, success } from '@create-api/core'
import { z } from 'zod'

// A service that takes any object, and reports what processor time it has used.
const posts = createRouter([
  defineRoute({
    method: 'post',
    path: '/',
    access: 'public',
    body: z.record(z.string(), z.number()),
    response: z.number(),
    handler: (req, res) => success(res, Object.keys(req.valid.body).length),
  }),
])
const api = createApi({
  routes: createRegistry().use('/posts', posts),
  environment: 'test',
  auth: false,
  database: false,
  log: { level: 'silent' },
})
const { url } = await api.start({ port: 0, signals: false })
process.send?.({ url: `${url}/posts` })
process.on('message', () => {
  const { user, system } = process.cpuUsage()
  process.send?.({ cpu: user + system })
})
process.once('disconnect', () => {
  void api.stop()
})
