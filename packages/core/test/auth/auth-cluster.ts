import { startEmbeddedMongo } from '@create-api/embedded-mongo'
import mongoose, { type Connection } from 'mongoose'
import type { ChildProcess } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import path from 'node:path'
import { z } from 'zod'
import { type AuthOptions } from '../../src/lib/auth/options/auth-options.ts'
import { startDatabaseProxy } from '../faults/database-proxy.ts'
import { forkSource, nextMessage } from '../fork-source.ts'
import { testSecret } from './auth-fixture.ts'

/** Options of processes that can be sent as JSON. */
export type ProcessOptions = Partial<
  Pick<AuthOptions, 'refreshLeeway' | 'overlapSkew' | 'stateless' | 'sessionsPerUser' | 'limits'>
>

/** A response, read completely. */
export interface ClusterResponse {
  readonly status: number
  readonly code: string | undefined
  readonly data: {
    accessToken: string
    refreshToken: string
    expiresIn: number
    user: { id: string }
  }
}

/** Several processes of one service on one database. */
export interface Cluster {
  readonly connection: Connection
  /** Sends a request to the next process in turn. */
  call(path: string, init?: CallInit): Promise<ClusterResponse>
  /** Stops the clock of a process at a time, in milliseconds since the epoch. */
  setClock(process: number, now: number): Promise<void>
  /** The port of a process. */
  port(process: number): number
  stop(): Promise<void>
}

/** A request. */
export interface CallInit {
  method?: string
  body?: object
  token?: string
  /** Index of the process. */
  process?: number
}

/** Settings shared by the processes of a cluster. */
export interface ClusterOptions {
  processes: number
  /** Delay of commands to the database and of its replies, in milliseconds. */
  databaseDelay?: number
  auth?: ProcessOptions
  /**
   * Whether passwords are hashed.
   * @default true
   */
  hashed?: boolean
}

/** Starts processes on the database of `MONGODB_URI`, else on an embedded one of this process. */
export async function startCluster(options: ClusterOptions): Promise<Cluster> {
  const database = await startDatabase(options.databaseDelay ?? 0)
  const dbName = `race_${randomBytes(6).toString('hex')}`
  const connection = await mongoose.createConnection(database.direct, { dbName }).asPromise()
  const { auth, hashed = true } = options
  const input = { uri: database.uri, dbName, hashed, secrets: [testSecret], ...auth }
  const children = await Promise.all(
    Array.from({ length: options.processes }, () => startProcess(input)),
  )
  let turn = 0
  const toPort = (process: number): number => children[process]?.port ?? 0
  return {
    connection,
    port: toPort,
    async setClock(process, now) {
      await fetch(`http://127.0.0.1:${toPort(process)}/clock/${now}`, { method: 'PUT' })
    },
    async call(route, { method = 'POST', body, token, process } = {}) {
      const port = toPort(process ?? turn++ % children.length)
      const response = await fetch(`http://127.0.0.1:${port}${route}`, {
        method,
        headers: {
          ...(body ? { 'Content-Type': 'application/json' } : {}),
          ...(token === undefined ? {} : { Authorization: `Bearer ${token}` }),
        },
        ...(body ? { body: JSON.stringify(body) } : {}),
      })
      const text = await response.text()
      const parsed = text === '' ? {} : JSON.parse(text)
      return { status: response.status, code: parsed.code, data: parsed.data }
    },
    async stop() {
      await Promise.all(children.map(({ child }) => stopProcess(child)))
      await connection.dropDatabase()
      await connection.close()
      await database.stop()
    },
  }
}

async function startProcess(input: object): Promise<{ child: ChildProcess; port: number }> {
  const child = forkSource(path.join(import.meta.dirname, 'auth-process.ts'), [
    JSON.stringify(input),
  ])
  const { port } = z.object({ port: z.number() }).parse(await nextMessage(child))
  return { child, port }
}

async function stopProcess(child: ChildProcess): Promise<void> {
  const ended = once(child, 'exit')
  child.disconnect()
  await ended
}

interface TestServer {
  /** URI with the delay. */
  readonly uri: string
  /** URI without the delay. */
  readonly direct: string
  stop(): Promise<void>
}

async function startDatabase(delay: number): Promise<TestServer> {
  const server = process.env['MONGODB_URI']
  const embedded = server ? undefined : await startEmbeddedMongo({ storage: { memory: true } })
  const direct = server ?? embedded?.uri ?? ''
  const proxy = delay > 0 ? await startDatabaseProxy(direct, delay) : undefined
  return {
    uri: proxy?.uri ?? direct,
    direct,
    async stop() {
      await proxy?.stop()
      await embedded?.stop()
    },
  }
}
