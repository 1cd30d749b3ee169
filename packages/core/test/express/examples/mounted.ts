import { createApi, type Registry } from '@create-api/core'
import express, { type Express } from 'express'
import mongoose from 'mongoose'

export async function createHost(uri: string, routes: Registry, secret: string): Promise<Express> {
  await mongoose.connect(uri)
  const api = createApi({ routes, database: false, auth: { secrets: [secret] } })
  await api.auth?.init()

  const host = express()
  host.set('trust proxy', 1)
  host.use('/v2', api.app)
  host.use(express.json())
  host.get('/shop', (_req, res) => {
    res.json({ open: true })
  })
  return host
}
