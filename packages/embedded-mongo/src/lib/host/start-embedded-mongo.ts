import { type Socket } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { type EmbeddedMongoOptions, resolveOptions, type Settings } from './options.ts'
import { type ServedDatabase, serveMemory } from './serve-database.ts'
import { serveInThread } from './serve-in-thread.ts'
import { probe } from './request.ts'
import { readServerFile } from './server-file.ts'

const joinTimeoutMs = 15_000
const retryMs = 25

/** A running database, or a connection to the process that serves it. */
export interface EmbeddedMongo {
  /** Connection string (`mongodb://…`) for `mongoose.connect` and any other client. */
  readonly uri: string
  /**
   * `attached` while another process serves the folder; becomes `owner` when this process takes
   * over.
   */
  readonly role: 'owner' | 'attached'
  /** Stops the database after syncing it to disk; an attached process only disconnects. */
  stop(): Promise<void>
}

/**
 * Starts a database that speaks MongoDB's wire protocol, or attaches to the process that already
 * serves the folder.
 * @param options - where the data is stored, and further settings
 * @returns the connection string, the role of this process, and a function that stops the database
 * @throws {TypeError} if an option is unknown or has an invalid value
 * @throws {Error} if the folder cannot be written, is damaged, is in use on another host, or its
 * owner does not respond
 * @example
 * ```ts
 * import { startEmbeddedMongo } from '@create-api/embedded-mongo'
 * import mongoose from 'mongoose'
 *
 * const mongo = await startEmbeddedMongo({ storage: { directory: '.data/db' } })
 * await mongoose.connect(mongo.uri)
 * ```
 */
export async function startEmbeddedMongo(options: EmbeddedMongoOptions): Promise<EmbeddedMongo> {
  const settings = resolveOptions(options)
  const { directory } = settings
  if (directory === undefined) {
    const owned = await serveMemory(settings)
    return { uri: owned.uri, role: 'owner', stop: once(() => owned.stop()) }
  }
  return joinFolder(directory, settings)
}

type Membership = { owned: ServedDatabase } | { uri: string; connection: Socket }

async function joinFolder(directory: string, settings: Settings): Promise<EmbeddedMongo> {
  let membership = await join(directory, settings)
  let isStopping = false
  const follow = (): void => {
    if (!('connection' in membership)) return
    membership.connection.once('close', () => {
      if (!isStopping)
        takeOver().catch((error: unknown) => settings.onMessage(String(error), 'warning'))
    })
    membership.connection.resume().unref()
  }
  // The owner has stopped: one of the attached processes opens the folder, at the same address.
  const takeOver = async (): Promise<void> => {
    membership = await join(directory, settings)
    if (isStopping) await leave(membership)
    else follow()
  }
  follow()
  return {
    get uri() {
      return 'owned' in membership ? membership.owned.uri : membership.uri
    },
    get role() {
      return 'owned' in membership ? 'owner' : 'attached'
    },
    stop: once(() => {
      isStopping = true
      return leave(membership)
    }),
  }
}

async function join(directory: string, settings: Settings): Promise<Membership> {
  const end = Date.now() + joinTimeoutMs
  for (;;) {
    const owned = await serveInThread(settings)
    if (owned) {
      settings.onMessage(`Embedded database (not MongoDB) serves ${directory}`, 'notice')
      return { owned }
    }
    // The owner may still be opening the folder, or be stopping: then nothing responds yet.
    const uri = readServerFile(directory)?.uri
    const connection = uri === undefined ? undefined : await probe(uri)
    if (uri !== undefined && connection) {
      settings.onMessage(
        `Embedded database (not MongoDB): attached to the owner of ${directory}`,
        'notice',
      )
      return { uri, connection }
    }
    if (Date.now() > end) {
      throw new Error(`${directory} is in use, but its owner does not respond.`)
    }
    await wait(retryMs + Math.random() * retryMs)
  }
}

async function leave(membership: Membership): Promise<void> {
  if ('owned' in membership) await membership.owned.stop()
  else membership.connection.destroy()
}

function once(stop: () => Promise<void>): () => Promise<void> {
  let stopped: Promise<void> | undefined
  return () => {
    stopped ??= stop()
    return stopped
  }
}
