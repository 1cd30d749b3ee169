import { once } from 'node:events'
import mongoose from 'mongoose'
import { createApp } from './app.ts'

const { JWT_SECRET, MONGODB_URI, PORT = '3000' } = process.env
if (JWT_SECRET === undefined || MONGODB_URI === undefined) {
  throw new Error('Set JWT_SECRET and MONGODB_URI.')
}
await mongoose.connect(MONGODB_URI)
const server = createApp(JWT_SECRET).listen(Number(PORT))
await once(server, 'listening')
const address = server.address()
// oxlint-disable-next-line no-console -- there is no logger
console.log(`listening on http://localhost:${typeof address === 'object' ? address?.port : PORT}`)
