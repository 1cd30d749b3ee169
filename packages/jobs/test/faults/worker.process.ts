import { setTimeout as sleep } from 'node:timers/promises'
import { createApi, createRegistry } from '@create-api/core'
import { createJobs, defineJob, enqueue, type JobsOptions } from '@create-api/jobs'
import { defineEvent, emit, on } from '@create-api/jobs/events'
import mongoose from 'mongoose'
import { z } from 'zod'

// One process that changes documents with jobs and events, and runs both. Its clock may be wrong.
const [uri = '', skew = '0', producing = 'yes'] = process.argv.slice(2)
const RealDate = Date
const toNow = (): number => RealDate.now() + Number(skew)
globalThis.Date = new Proxy(RealDate, {
  construct: (target, args) => Reflect.construct(target, args.length === 0 ? [toNow()] : args),
  get: (target, name) => (name === 'now' ? toNow : Reflect.get(target, name)),
})

interface Counter {
  _id: string
  last: number
}
interface Stream {
  _id: string
  seen: number[]
}
interface Held {
  _id: string
  attempt: number
}

const collection = <T extends mongoose.mongo.Document>(
  name: string,
): mongoose.mongo.Collection<T> => {
  const { db } = mongoose.connection
  if (!db) throw new Error('not connected')
  return db.collection<T>(name, { writeConcern: { w: 'majority' } })
}

// Later attempts must not be followed by a fenced write of an earlier one.
async function note(id: string, attempt: number, session: mongoose.ClientSession): Promise<void> {
  const held = await collection<Held>('held').findOneAndUpdate(
    { _id: id },
    { $max: { attempt } },
    { upsert: true, session, returnDocument: 'after' },
  )
  if (held && held.attempt > attempt) {
    await collection('violations').insertOne({ id, attempt, later: held.attempt }, { session })
  }
}

const task = defineJob({
  name: 'task',
  input: z.object({ n: z.string() }),
  retries: 1000,
  backoff: { first: '50ms', max: '200ms' },
  timeout: '5s',
  async run({ n }, { attempt, complete, fenced, id }) {
    await collection('starts').insertOne({ id, attempt })
    await fenced((session) => note(id, attempt, session))
    await sleep(Math.random() * 30)
    if (Number.parseInt(n.slice(-1), 16) % 2 === 0) {
      await complete(async (session) => {
        await note(id, attempt, session)
        await collection('results').insertOne({ n, attempt }, { session })
      })
      return
    }
    // Marked as done by the worker afterwards, with others that end at the same time. It may run again.
    await fenced(async (session) => {
      await note(id, attempt, session)
      const result = { $setOnInsert: { n, attempt } }
      await collection('results').updateOne({ n }, result, { session, upsert: true })
    })
  },
})

const changed = defineEvent('changed', z.object({ key: z.string(), seq: z.number() }), {
  key: ({ key }) => key,
})

const follow = on(changed, {
  name: 'follow',
  retries: 1000,
  backoff: { first: '50ms', max: '200ms' },
  timeout: '5s',
  async run({ key, seq }, { attempt, complete, id }) {
    await sleep(Math.random() * 10)
    await complete(async (session) => {
      await note(id, attempt, session)
      await collection<Stream>('streams').updateOne(
        { _id: key },
        { $push: { seen: seq } },
        { upsert: true, session },
      )
    })
  },
})

async function change(): Promise<void> {
  const key = `key${Math.floor(Math.random() * 4)}`
  const n = new mongoose.Types.ObjectId().toHexString()
  await mongoose.connection.transaction(async (session) => {
    const counter = await collection<Counter>('counters').findOneAndUpdate(
      { _id: key },
      { $inc: { last: 1 } },
      { upsert: true, session, returnDocument: 'after' },
    )
    await collection('changes').insertOne({ n }, { session })
    await enqueue(task, { n }, { session })
    await emit(changed, { key, seq: counter?.last ?? 0 }, { session })
    if (Math.random() < 0.25) throw new Error('aborted on purpose')
  })
}

const times: Pick<JobsOptions, 'lease' | 'pollInterval' | 'worker'> = {
  lease: '1s',
  pollInterval: '500ms',
  worker: 'only',
}
const api = createApi({
  routes: createRegistry(),
  auth: false,
  openapi: false,
  database: { uri, name: 'faults' },
  log: { level: 'fatal' },
  environment: 'test',
  jobs: createJobs({ jobs: [task], handlers: [follow], ...times }),
})
await api.start()
process.send?.('ready')
async function produce(): Promise<never> {
  for (;;) {
    await change().catch(() => {})
    await sleep(Math.random() * 20)
  }
}

if (producing === 'yes') await produce()
