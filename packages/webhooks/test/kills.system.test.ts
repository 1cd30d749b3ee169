import { type ChildProcess, fork } from 'node:child_process'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { createSecretBox } from '@create-api/core/internal/sign-in'
import { startEmbeddedMongo } from '@create-api/embedded-mongo'
import { emit } from '@create-api/jobs/events'
import mongoose from 'mongoose'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createModels } from '../src/lib/store/models.ts'
import { sealSecret } from '../src/lib/store/secrets.ts'
import { createSecret } from '../src/lib/signature/secret.ts'
import { postPublished } from './events.ts'
import { startReceiver } from './receiver.ts'

let uri = ''
let stopServer: () => Promise<void>
let workers: ChildProcess[] = []

beforeAll(async () => {
  const server = await startEmbeddedMongo({ storage: { memory: true } })
  uri = server.uri
  stopServer = () => server.stop()
  await mongoose.connect(uri, { dbName: 'kills' })
  // MongoDB ends the transaction of a process that was killed after 60 seconds.
  await mongoose.connection.db
    ?.admin()
    .command({ setParameter: 1, transactionLifetimeLimitSeconds: 1 })
})

afterAll(async () => {
  for (const worker of workers) worker.kill('SIGKILL')
  await mongoose.disconnect()
  await stopServer()
})

function startWorker(): ChildProcess {
  const script = path.join(import.meta.dirname, 'worker.process.ts')
  const execArgv = ['--conditions=@create-api/source', '--import', 'tsx']
  const worker = fork(script, [uri], { execArgv })
  workers = [...workers, worker]
  return worker
}

async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = performance.now() + 60_000
  while (!(await condition())) {
    if (performance.now() > deadline) throw new Error('Timed out.')
    await sleep(20)
  }
}

it('no message is lost when processes that send are killed', async () => {
  const receiver = await startReceiver()
  const { deliveries, endpoints } = createModels(mongoose.connection)
  const _id = new mongoose.Types.ObjectId()
  const box = createSecretBox(['0123456789abcdef0123456789abcdef'], 'webhook secrets v1')
  await endpoints.create({
    _id,
    owner: 'ada',
    url: receiver.url,
    events: ['post.published'],
    secrets: [sealSecret(box, String(_id), createSecret())],
    createdAt: new Date(),
  })
  const ids: string[] = []
  for (let count = 0; count < 30; count++) {
    ids.push(`msg_${await emit(postPublished, { postId: String(count), owner: 'ada' })}`)
  }
  // The first is killed while events become deliveries, the second while requests wait for a response.
  const first = startWorker()
  await until(async () => (await deliveries.countDocuments()) > 0)
  first.kill('SIGKILL')
  expect(await deliveries.countDocuments({ state: 'delivered' })).toBeLessThan(30)
  const before = receiver.received.length
  receiver.respond = () => {}
  const second = startWorker()
  await until(() => receiver.received.length > before)
  second.kill('SIGKILL')
  receiver.respond = (_req, res) => res.writeHead(204).end()
  startWorker()
  await until(async () => (await deliveries.countDocuments({ state: 'delivered' })) === 30)
  const received = new Set(receiver.received.map(({ headers }) => headers['webhook-id'] ?? ''))
  expect(received).toEqual(new Set(ids))
  expect(await deliveries.countDocuments()).toBe(30)
})
