import { createTestClient } from '@create-api/core/testing'
import { testConduit } from '../conduit-tests.ts'
import { api } from './app.ts'

testConduit(() => createTestClient(api))
