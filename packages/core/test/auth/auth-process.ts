import express from 'express'
import mongoose from 'mongoose'
import { type AddressInfo } from 'node:net'
import { z } from 'zod'
import { createAuth } from '../../src/lib/create-auth.ts'
import { createServer } from '../../src/lib/create-server.ts'
import { errorHandler } from '../../src/lib/http/error-handler.ts'
import { silent, storedAsTyped, testSecret } from './auth-fixture.ts'

// One process of a service with authentication: started and stopped by auth-cluster.ts.
const { uri, dbName, hashed, ...options } = z
  .looseObject({ uri: z.string(), dbName: z.string(), hashed: z.boolean() })
  .parse(JSON.parse(process.argv[2] ?? ''))

// Milliseconds since the epoch at which the clock is stopped, if it is.
let clock: number | undefined

const connection = await mongoose.createConnection(uri, { dbName }).asPromise()
const auth = createAuth({
  secrets: [testSecret],
  connection,
  logger: silent,
  limits: false,
  // Every hash of a storm runs: the test is about the race, not about overload.
  password: { queue: 10_000, wait: '60s', ...(hashed ? {} : { hasher: storedAsTyped }) },
  now: () => clock ?? Date.now(),
  ...options,
})
await auth.init()
const app = express().disable('x-powered-by')
app.use('/api/v1/auth', auth.router)
app.delete('/users/:id', (req, res, next) => {
  auth.removeUser(req.params.id).then(() => res.status(204).end(), next)
})
app.post('/users/:id/roles/:role', (req, res, next) => {
  const { id, role } = req.params
  auth.users.grantRole(id, role).then(() => res.status(204).end(), next)
})
app.delete('/users/:id/roles/:role', (req, res, next) => {
  const { id, role } = req.params
  auth.users.revokeRole(id, role).then(() => res.status(204).end(), next)
})
app.post('/users/:id/disabled', (req, res, next) => {
  auth.users.update(req.params.id, { disabled: true }).then(() => res.status(204).end(), next)
})
app.put('/clock/:now', (req, res) => {
  clock = Number(req.params.now)
  res.status(204).end()
})
app.use(errorHandler({ logger: silent }))
const server = createServer(app)
server.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo
  process.send?.({ port })
})
process.once('disconnect', () => process.exit())
