import { createApi, createRegistry } from '@create-api/core'
import { createJobs } from '@create-api/jobs'
import { createWebhooks, publish } from '@create-api/webhooks'
import { z } from 'zod'
import { postPublished } from './events.ts'

// A process that sends webhooks, until it is killed.
const [uri = ''] = process.argv.slice(2)
const webhooks = createWebhooks({
  events: [
    publish(postPublished, {
      schema: z.object({ postId: z.string() }),
      audience: ({ owner }) => (owner === undefined ? undefined : { owner }),
    }),
  ],
  encryptionKeys: ['0123456789abcdef0123456789abcdef'],
  allowHttp: true,
  allowedNetworks: ['127.0.0.1/32'],
})
const { handlers, jobs } = webhooks
const api = createApi({
  name: 'worker',
  environment: 'test',
  routes: createRegistry(),
  auth: false,
  database: { uri, name: 'kills' },
  log: { level: 'silent' },
  jobs: createJobs({ jobs, handlers, worker: 'on', lease: '1s', pollInterval: '100ms' }),
})
await api.start({ port: 0, signals: false })
