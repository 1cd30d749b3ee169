import { resolve } from 'node:path'

/** Where the documents live. */
export type EmbeddedMongoStorage =
  | {
      /** In memory: a restart loses everything. */
      memory: true
    }
  | {
      /** In this folder, and in memory while it runs. */
      directory: string
    }

/** Told one line: a `notice` says which database serves, a `warning` asks for attention. */
export type OnMessage = (message: string, kind: 'notice' | 'warning') => void

/** Options of {@link startEmbeddedMongo}. */
export interface EmbeddedMongoOptions {
  /** Memory, or a folder that keeps the data. */
  storage: EmbeddedMongoStorage
  /**
   * A port of 127.0.0.1 to listen on, for graphical clients; every user of the machine can connect.
   * @default none: a unix socket in a private folder; on Windows a free port
   */
  port?: number | undefined
  /**
   * Milliseconds between two searches for expired documents of TTL indexes.
   * @default 60000
   */
  ttlIntervalMs?: number | undefined
  /**
   * Milliseconds every reply is held back: in-process speed hides races that a network shows.
   * @default 0
   */
  latencyMs?: number | undefined
  /**
   * Told, in one line each, which database serves (in folder mode), and warnings.
   * @default a line on standard error
   */
  onMessage?: OnMessage | undefined
}

/** The options with their defaults. */
export interface Settings {
  /** `undefined` for memory. */
  directory: string | undefined
  port: number | undefined
  ttlIntervalMs: number
  latencyMs: number
  onMessage: OnMessage
}

const KNOWN = ['storage', 'port', 'ttlIntervalMs', 'latencyMs', 'onMessage']
const MAX_TIMER_MS = 2_147_483_647

/**
 * Checks the options and fills in their defaults.
 *
 * @param options What the caller gave.
 * @returns All settings.
 * @throws {TypeError} An option is unknown or has an impossible value.
 */
export function resolveOptions(options: EmbeddedMongoOptions): Settings {
  for (const name of Object.keys(options)) {
    if (!KNOWN.includes(name)) {
      throw new TypeError(
        `startEmbeddedMongo: unknown option '${name}'. Known: ${KNOWN.join(', ')}.`,
      )
    }
  }
  const { port, ttlIntervalMs = 60_000, latencyMs = 0, onMessage = writeLine } = options
  if (port !== undefined) requireWhole('port', port, [0, 65_535])
  requireWhole('ttlIntervalMs', ttlIntervalMs, [1, MAX_TIMER_MS])
  requireWhole('latencyMs', latencyMs, [0, MAX_TIMER_MS])
  return { directory: toDirectory(options.storage), port, ttlIntervalMs, latencyMs, onMessage }
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
