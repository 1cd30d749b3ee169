import { createNotes } from '../http/service.ts'

// One process of a service, configured by its environment: reports its port, ends with its parent.
// What is tested is the count: on a busy machine the database may take its time.
const api = createNotes({ rateLimit: { storeTimeoutMs: 20_000 }, database: undefined })
const { url } = await api.start({ signals: false })
process.send?.({ url })
process.once('disconnect', () => {
  api.stop().then(
    () => process.exit(0),
    () => process.exit(1),
  )
})
