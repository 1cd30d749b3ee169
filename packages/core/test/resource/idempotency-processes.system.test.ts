import { startEmbeddedMongo } from '@create-api/embedded-mongo'
import mongoose, { type Connection } from 'mongoose'
import type { ChildProcess } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import path from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { z } from 'zod'
import { forkSource, nextMessage } from '../fork-source.ts'

const databaseName = `takeover_${randomBytes(6).toString('hex')}`
const children: ChildProcess[] = []
let database: Connection
let uri: string
let stopDatabase = async () => {}

beforeAll(async () => {
  const server = process.env['MONGODB_URI']
  const embedded = server ? undefined : await startEmbeddedMongo({ storage: { memory: true } })
  uri = server ?? embedded?.uri ?? ''
  stopDatabase = async () => embedded?.stop()
  database = await mongoose.createConnection(uri, { dbName: databaseName }).asPromise()
})

afterAll(async () => {
  await Promise.all(
    children
      .filter(({ connected }) => connected)
      .map(async (child) => {
        const ended = once(child, 'exit')
        child.disconnect()
        await ended
      }),
  )
  await database.dropDatabase()
  await database.close()
  await stopDatabase()
})

async function startProcess(hang: boolean) {
  const input = JSON.stringify({ uri, databaseName, hang })
  const child = forkSource(path.join(import.meta.dirname, 'idempotency-process.ts'), [input], {
    env: { ...process.env, NODE_ENV: 'test' },
  })
  children.push(child)
  const message = await nextMessage(child)
  return { child, url: z.object({ url: z.string() }).parse(message).url }
}

function order(url: string): Promise<Response> {
  return fetch(`${url}/api/orders`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', 'Idempotency-Key': '"takeover"' },
    body: JSON.stringify({ item: 'one' }),
  })
}

it('takes over the request of a process that was killed, once its time is over', async () => {
  const [first, second] = await Promise.all([startProcess(true), startProcess(false)])
  const lost = order(first.url).catch((error: unknown) => error)
  await nextMessage(first.child)
  // While the first one may still be running, no other one is.
  expect((await order(second.url)).status).toBe(409)
  first.child.kill('SIGKILL')
  await once(first.child, 'exit')
  expect(await lost).toBeInstanceOf(Error)
  expect((await order(second.url)).status).toBe(409)
  const records = database.collection('idempotency_keys')
  const [record, ...others] = await records.find().toArray()
  expect(others).toEqual([])
  const seconds = (Number(record?.['lockedUntil']) - Date.now()) / 1000
  expect(seconds).toBeGreaterThan(0)
  expect(seconds).toBeLessThanOrEqual(60)
  // A minute later.
  await records.updateOne({}, { $set: { lockedUntil: new Date(0) } })
  const responses = await Promise.all(Array.from({ length: 5 }, () => order(second.url)))
  const statuses = responses.map(({ status }) => status).toSorted((a, b) => a - b)
  expect(statuses[0]).toBe(201)
  expect(statuses.filter((status) => ![201, 409].includes(status))).toEqual([])
  expect((await order(second.url)).status).toBe(201)
  expect(await database.collection('processorders').countDocuments()).toBe(1)
})
