import { randomBytes } from 'node:crypto'
import { startEmbeddedMongo } from '@create-api/embedded-mongo'
import mongoose from 'mongoose'
import { createApp } from './app.ts'

const database = await startEmbeddedMongo({ storage: { memory: true } })
await mongoose.connect(process.env.MONGODB_URI ?? database.uri)

const secret = process.env.JWT_SECRET ?? randomBytes(32).toString('base64url')
const port = Number(process.env.PORT ?? 3000)
const app = await createApp(secret)
app.listen(port, () => {
  process.stdout.write(`shop listens on http://localhost:${port}\n`)
})
