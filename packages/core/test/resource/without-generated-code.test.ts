import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import path from 'node:path'
import { startEmbeddedMongo } from '@create-api/embedded-mongo'
import { afterAll, describe, expect, it } from 'vitest'
import { z } from 'zod'

const database = await startEmbeddedMongo({ storage: { memory: true } })
let service: ChildProcess | undefined

afterAll(async () => {
  service?.disconnect()
  if (service?.exitCode === null) await once(service, 'exit')
  await database.stop()
})

describe('where code must not be made of text', () => {
  it('a service starts and answers by its schemas', async () => {
    service = fork(path.join(import.meta.dirname, '../hygiene/service.process.ts'), {
      execArgv: [
        '--disallow-code-generation-from-strings',
        '--conditions=@create-api/source',
        '--import',
        'tsx',
      ],
      env: { ...process.env, MONGODB_URI: database.uri, LOG_LEVEL: 'silent' },
    })
    const [message] = await once(service, 'message')
    const { url } = z.object({ url: z.string() }).parse(message)
    const headers = { 'content-type': 'application/json' }
    const note = { title: 'hello', tags: ['a'] }
    const body = JSON.stringify(note)
    const answer = await fetch(`${url}/api/notes`, { method: 'POST', headers, body })
    expect(answer.status).toBe(201)
    expect(await answer.json()).toEqual({ data: { id: '0'.repeat(24), ...note } })
  })
})
