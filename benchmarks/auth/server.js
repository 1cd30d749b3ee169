// @ts-check
// A service with authentication and no limits, on a database in memory; run by client.js.
import { createApi, createRegistry } from '@create-api/core'
import { randomBytes } from 'node:crypto'

const api = createApi({
  name: 'login-benchmark',
  routes: createRegistry(),
  database: { uri: process.env['MONGODB_URI'] ?? 'embedded:memory' },
  auth: {
    secrets: [randomBytes(32).toString('base64')],
    limits: false,
    mail: { mailer: { send: async () => {} } },
    ...JSON.parse(process.argv[2] ?? '{}'),
  },
  rateLimit: false,
  log: { level: 'silent' },
})
const { url } = await api.start({ port: 0, signals: false, databaseName: 'login_benchmark' })
process.send?.({ url })
process.once('disconnect', () => void api.stop())
