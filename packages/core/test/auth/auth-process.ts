import express from 'express'
import mongoose from 'mongoose'
import { type AddressInfo } from 'node:net'
import { z } from 'zod'
import { createAuth } from '../../src/lib/auth/create-auth.ts'
import { createServer } from '../../src/lib/create-server.ts'
import { errorHandler } from '../../src/lib/pipeline/error-handler.ts'
import { silent, testSecret } from './auth-fixture.ts'

// One process of a service with authentication: started by auth-cluster.ts, ends when told to.
const { uri, dbName, ...options } = z
  .looseObject({ uri: z.string(), dbName: z.string() })
  .parse(JSON.parse(process.argv[2] ?? ''))

const connection = await mongoose.createConnection(uri, { dbName }).asPromise()
const auth = createAuth({
  secrets: [testSecret],
  connection,
  logger: silent,
  limits: false,
  // Every hash of a storm gets its turn: what is tested is the race, not the shedding.
  password: { queue: 10_000, wait: 60_000 },
  ...options,
})
await auth.init()
const app = express().disable('x-powered-by')
app.use('/api/v1/auth', auth.router)
app.delete('/users/:id', (req, res, next) => {
  auth.removeUser(req.params.id).then(() => res.status(204).end(), next)
})
app.use(errorHandler({ logger: silent }))
const server = createServer(app)
server.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo
  process.send?.({ port })
})
process.once('disconnect', () => process.exit())
