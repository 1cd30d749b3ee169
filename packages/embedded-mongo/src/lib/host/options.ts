import { resolve } from 'node:path'

/** Where the documents are stored: in memory, or in memory and a folder. */
export type EmbeddedMongoStorage =
  | {
      /** In memory only: a restart loses everything. */
      memory: true
    }
  | {
      /** Path of the data folder, created when missing; the data is also held in memory. */
      directory: string
    }

/**
 * Receives one line of text: a `notice` says which process serves the database, a `warning` needs
 * attention.
 */
export type OnMessage = (message: string, kind: 'notice' | 'warning') => void

/** Options of {@link startEmbeddedMongo}. */
export interface EmbeddedMongoOptions {
  /** Memory, or a folder that persists the data. */
  storage: EmbeddedMongoStorage
  /**
   * TCP port on 127.0.0.1, for graphical clients; every user of the machine can connect. 0 picks a
   * free port.
   * @default none: a Unix socket in a private folder; on Windows a free port
   */
  port?: number | undefined
  /**
   * Name of the replica set in responses of `hello`.
   * @default 'rs0'
   */
  replicaSet?: string | undefined
  /**
   * Milliseconds between two checks for expired documents of TTL indexes.
   * @default 60000
   */
  ttlIntervalMs?: number | undefined
  /**
   * Milliseconds by which every reply is delayed, to expose races that a network would show.
   * @default 0
   */
  latencyMs?: number | undefined
  /**
   * Receives notices about who serves the data folder, and warnings.
   * @default a line on standard error
   */
  onMessage?: OnMessage | undefined
}

// The options with their defaults.
export interface Settings {
  // Undefined for memory.
  directory: string | undefined
  port: number | undefined
  replicaSet: string
  ttlIntervalMs: number
  latencyMs: number
  onMessage: OnMessage
}

const known = ['storage', 'port', 'replicaSet', 'ttlIntervalMs', 'latencyMs', 'onMessage']
const maxTimerMs = 2_147_483_647

export function resolveOptions(options: EmbeddedMongoOptions): Settings {
  for (const name of Object.keys(options)) {
    if (!known.includes(name)) {
      throw new TypeError(
        `startEmbeddedMongo: unknown option '${name}'. Known: ${known.join(', ')}.`,
      )
    }
  }
  const {
    port,
    replicaSet = 'rs0',
    ttlIntervalMs = 60_000,
    latencyMs = 0,
    onMessage = writeLine,
  } = options
  if (port !== undefined) requireWhole('port', port, [0, 65_535])
  requireWhole('ttlIntervalMs', ttlIntervalMs, [1, maxTimerMs])
  requireWhole('latencyMs', latencyMs, [0, maxTimerMs])
  if (replicaSet === '') {
    throw new TypeError("startEmbeddedMongo: 'replicaSet' must be the name of a replica set.")
  }
  const directory = toDirectory(options.storage)
  return { directory, port, replicaSet, ttlIntervalMs, latencyMs, onMessage }
}

function toDirectory(storage: EmbeddedMongoStorage | undefined): string | undefined {
  const names = Object.keys(storage ?? {})
  if (storage && names.length === 1) {
    if ('memory' in storage && storage.memory) return undefined
    if ('directory' in storage && storage.directory !== '') return resolve(storage.directory)
  }
  throw new TypeError(
    "startEmbeddedMongo: 'storage' must be { memory: true } or { directory: 'path' }.",
  )
}

function requireWhole(name: string, value: number, [low, high]: [number, number]): void {
  if (Number.isInteger(value) && value >= low && value <= high) return
  throw new TypeError(
    `startEmbeddedMongo: '${name}' must be a whole number from ${low} to ${high}.`,
  )
}

function writeLine(message: string): void {
  process.stderr.write(`${message}\n`)
}
