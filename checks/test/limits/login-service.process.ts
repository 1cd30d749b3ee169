import { createApi, createRegistry } from '@create-api/core'

// A service with nothing but its authentication, configured by its environment: its log goes to
// standard output, and it ends with its parent.
const api = createApi({ name: 'logins', routes: createRegistry(), server: { host: '127.0.0.1' } })
const { url } = await api.start({ port: 0, signals: false })
process.send?.({ url })
process.once('disconnect', () => {
  api.stop().then(
    () => process.exit(0),
    () => process.exit(1),
  )
})
