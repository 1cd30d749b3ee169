import { mkdirSync } from 'node:fs'
import { compact } from './compaction.ts'
import { LogWriter, toCommandError } from './log-writer.ts'
import { syncDirectory, writeManifest } from './manifest.ts'
import { numberedFile, recover, type Recovered } from './recover.ts'
import {
  type Batch,
  type KeyRange,
  type Reader,
  type Slice,
  type Store,
  type Value,
} from './store.ts'
import { type Tree } from './tree.ts'

const SMALLEST_COMPACTED_LOG = 16 * 1024 * 1024

/** Options of {@link openFileStore}. */
export interface FileStoreOptions {
  directory: string
  /**
   * Keep the valid beginning of a damaged log and set the rest aside, instead of refusing to open.
   * @default false
   */
  repair?: boolean | undefined
  /**
   * A log is compacted when it is larger than this and than twice the last snapshot.
   * @default 16 MB
   */
  compactAtBytes?: number | undefined
  /** Told about cut-off log ends and failed compactions. */
  warn: (message: string) => void
}

/**
 * Opens a data folder that this process alone owns.
 *
 * @param options Where, and what to do about damage.
 * @returns The store with all that was written before.
 * @throws {StoreDamage} The folder cannot be read without losing something.
 */
export function openFileStore(options: FileStoreOptions): FileStore {
  const { directory, repair = false, warn } = options
  mkdirSync(directory, { recursive: true, mode: 0o700 })
  return new FileStore(options, recover(directory, { repair, warn }))
}

/** A tree in memory with a log beside it. */
export class FileStore implements Store {
  readonly #options: FileStoreOptions
  readonly #tree: Tree
  #log: LogWriter
  #number: number
  #snapshot: { number: number; bytes: number }
  #firstLog: number
  #olderLogBytes = 0
  #compaction: Promise<void> | undefined

  constructor(options: FileStoreOptions, recovered: Recovered) {
    const { tree, manifest, log, logBytes, snapshotBytes } = recovered
    this.#options = options
    this.#tree = tree
    this.#number = log
    this.#log = new LogWriter(numberedFile(options.directory, 'log', log))
    this.#snapshot = { number: manifest.snapshot, bytes: snapshotBytes }
    this.#firstLog = manifest.log
    this.#olderLogBytes = Math.max(0, logBytes - this.#log.length)
    if (recovered.isNew) writeManifest(options.directory, manifest)
  }

  get(key: string): Value | undefined {
    return this.#tree.get(key)
  }

  slice(range: KeyRange, limit: number): Slice {
    return this.#tree.slice(range, limit)
  }

  apply(batch: Batch): void {
    this.#log.append(batch)
    this.#tree.apply(batch)
    const logBytes = this.#log.length + this.#olderLogBytes
    if (logBytes > this.#threshold() && !this.#compaction) {
      this.compact().catch((error: unknown) => {
        this.#options.warn(`compaction failed, the data is safe: ${String(error)}`)
      })
    }
  }

  snapshot(): Reader {
    return this.#tree.clone()
  }

  sync(): Promise<void> {
    return this.#log.sync()
  }

  // Rewrites the folder as one snapshot; a running compaction is shared.
  compact(): Promise<void> {
    this.#compaction ??= this.#compact()
      .catch((error: unknown) => {
        // Try again when as much again was written, not with every write.
        this.#olderLogBytes = -this.#log.length
        throw toCommandError(error)
      })
      .finally(() => {
        this.#compaction = undefined
      })
    return this.#compaction
  }

  async close(): Promise<void> {
    await this.#compaction?.catch(() => {})
    await this.#log.close()
  }

  #threshold(): number {
    const smallest = this.#options.compactAtBytes ?? SMALLEST_COMPACTED_LOG
    return Math.max(smallest, 2 * this.#snapshot.bytes)
  }

  async #compact(): Promise<void> {
    const { directory } = this.#options
    const closing = this.#log
    // The old log must be whole on the disk before a later one exists.
    closing.syncNow()
    this.#olderLogBytes += closing.length
    this.#log = new LogWriter(numberedFile(directory, 'log', this.#number + 1))
    this.#number += 1
    syncDirectory(directory)
    const number = this.#number
    const picture = this.#tree.clone()
    await closing.close()
    const logs = Array.from({ length: number - this.#firstLog }, (_, i) => this.#firstLog + i)
    const old = { snapshot: this.#snapshot.number, logs }
    const bytes = await compact({ directory, picture, number, old })
    this.#snapshot = { number, bytes }
    this.#firstLog = number
    this.#olderLogBytes = 0
  }
}
