import { randomBytes } from 'node:crypto'
import { testConduit } from '../conduit-tests.ts'
import { createConduit } from './app.ts'

testConduit(async () => {
  const api = createConduit({ secrets: [randomBytes(32).toString('base64url')], limits: false })
  await api.auth?.init()
  return api.app
})
