import { testConduit } from '../conduit-tests.ts'
import { createApp } from './app.ts'

testConduit(async () => createApp('a secret of at least 32 bytes, for tests'))
