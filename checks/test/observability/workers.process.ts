import { createApi, createRegistry } from '@create-api/core'
import { createMetrics } from '@create-api/core/metrics'

// Two workers behind one port, whose metrics are reported together.
const api = createApi({
  routes: createRegistry(),
  environment: 'test',
  auth: false,
  database: false,
  workers: 2,
  server: { host: '127.0.0.1', port: 0 },
  metrics: createMetrics({ port: Number(process.env['METRICS_PORT']) }),
  log: { level: 'silent' },
})
// With signals, because workers are stopped by them.
const { url } = await api.start()
process.send?.({ url })
process.once('disconnect', () => {
  api.stop().then(
    () => process.exit(0),
    () => process.exit(1),
  )
})
