import { setTimeout as sleep } from 'node:timers/promises'
import { type Api, createApi, createRegistry, type Logger } from '@create-api/core'
import { startEmbeddedMongo } from '@create-api/embedded-mongo'
import { createJobs, type JobsOptions } from '@create-api/jobs'
import mongoose from 'mongoose'
import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest'

export interface Service {
  readonly api: Api
  /** Level and message of each line of the log. */
  readonly lines: string[]
}

export interface TestBed {
  /** Starts a service with a worker, on the database of the file. */
  start(options: JobsOptions, config?: Partial<Parameters<typeof createApi>[0]>): Promise<Service>
  uri(): string
}

/** A database for the tests of a file, which is empty before each. */
export function createTestBed(): TestBed {
  let uri = ''
  let stopServer: () => Promise<void>
  let services: Service[] = []
  let count = 0
  beforeAll(async () => {
    const server = await startEmbeddedMongo({ storage: { memory: true } })
    uri = server.uri
    stopServer = () => server.stop()
  })
  beforeEach(() => {
    count += 1
  })
  afterEach(async () => {
    for (const { api } of services) await api.stop()
    services = []
    for (const name of mongoose.connection.modelNames()) mongoose.connection.deleteModel(name)
  })
  afterAll(() => stopServer())
  return {
    uri: () => uri,
    async start(options, config = {}) {
      const lines: string[] = []
      const write =
        (level: string) =>
        (_fields: object, message = ''): void =>
          void lines.push(`${level}: ${message}`)
      const logger: Logger = {
        debug: write('debug'),
        info: write('info'),
        warn: write('warn'),
        error: write('error'),
        fatal: write('fatal'),
      }
      const api = createApi({
        name: 'queue-test',
        routes: createRegistry(),
        auth: false,
        database: { uri, name: `test${count}` },
        log: { logger },
        jobs: createJobs({ worker: 'on', pollInterval: '200ms', ...options }),
        ...config,
      })
      const service = { api, lines }
      services.push(service)
      await api.start({ port: 0, signals: false })
      return service
    },
  }
}

/** Waits until a condition is true. */
export async function until(
  condition: () => boolean | Promise<boolean>,
  what = 'the condition',
): Promise<void> {
  const deadline = performance.now() + 60_000
  while (!(await condition())) {
    if (performance.now() > deadline) throw new Error(`Timed out waiting for ${what}.`)
    await sleep(5)
  }
}

export function stored(collection = 'queue_jobs'): Promise<mongoose.mongo.Document[]> {
  return mongoose.connection.collection(collection).find().sort({ createdAt: 1, _id: 1 }).toArray()
}
