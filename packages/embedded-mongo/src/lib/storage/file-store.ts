import { mkdirSync } from 'node:fs'
import { open, rename, rm, unlink } from 'node:fs/promises'
import { LogWriter, toCommandError } from './log-writer.ts'
import { syncDirectory, writeManifest } from './manifest.ts'
import { encodeBatch, encodeEnd, fileHeader, recordHeader } from './record-format.ts'
import { numberedFile, recover, type Recovered } from './recover.ts'
import {
  type Batch,
  type Entry,
  type KeyRange,
  type Reader,
  type Slice,
  type Store,
  type Value,
} from './store.ts'
import { syncedFile } from './synced-length.ts'
import { type Tree } from './tree.ts'

const minCompactedLogBytes = 16 * 1024 * 1024

interface FileStoreOptions {
  directory: string
  // Keep the valid beginning of a damaged log and set the rest aside, instead of failing.
  repair?: boolean | undefined
  // A log larger than this and than twice the last snapshot is compacted.
  compactAtBytes?: number | undefined
  warn: (message: string) => void
}

export function openFileStore(options: FileStoreOptions): FileStore {
  const { directory, repair = false, warn } = options
  mkdirSync(directory, { recursive: true, mode: 0o700 })
  return new FileStore(options, recover(directory, { repair, warn }))
}

// A tree in memory with a log on disk.
class FileStore implements Store {
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
    if (batch.drops.length === 0 && batch.puts.length === 0) return
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
        // Retry after as much again has been written, not on every write.
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
    const minBytes = this.#options.compactAtBytes ?? minCompactedLogBytes
    return Math.max(minBytes, 2 * this.#snapshot.bytes)
  }

  async #compact(): Promise<void> {
    const { directory } = this.#options
    const closing = this.#log
    // The old log must be completely on disk before a later one exists.
    closing.syncNow()
    this.#olderLogBytes += closing.length
    this.#log = new LogWriter(numberedFile(directory, 'log', this.#number + 1))
    this.#number += 1
    syncDirectory(directory)
    const number = this.#number
    this.#tree.merge()
    const tree = this.#tree.clone()
    await closing.close()
    const logs = Array.from({ length: number - this.#firstLog }, (_, i) => this.#firstLog + i)
    const old = { snapshot: this.#snapshot.number, logs }
    const bytes = await compact({ directory, tree, number, old })
    this.#snapshot = { number, bytes }
    this.#firstLog = number
    this.#olderLogBytes = 0
  }
}

const sliceBytes = 256 * 1024

interface CompactionInput {
  directory: string
  // All entries at the time the new log was started.
  tree: Tree
  // Number of the new log and of the snapshot that precedes it.
  number: number
  // Numbers of the files that are obsolete afterwards.
  old: { snapshot: number; logs: number[] }
}

// Writes a snapshot in slices, between commands, then points the manifest to it. A crash at any
// moment leaves a folder that opens: before the rename with the old snapshot and all logs, after it
// with files the next start removes.
async function compact(input: CompactionInput): Promise<number> {
  const { directory, number, old } = input
  const file = numberedFile(directory, 'snapshot', number)
  const bytes = await writeSnapshot(`${file}.tmp`, input.tree)
  await rename(`${file}.tmp`, file)
  writeManifest(directory, { snapshot: number, log: number })
  if (old.snapshot > 0) await unlink(numberedFile(directory, 'snapshot', old.snapshot))
  for (const log of old.logs) {
    const name = numberedFile(directory, 'log', log)
    await unlink(name)
    await rm(syncedFile(name), { force: true })
  }
  return bytes
}

async function writeSnapshot(file: string, tree: Tree): Promise<number> {
  const handle = await open(file, 'w', 0o600)
  try {
    let bytes = 0
    for (const part of snapshotParts(tree)) {
      const { bytesWritten } = await handle.write(part)
      if (bytesWritten < part.length) throw new Error(`${file}: only part of the data was written`)
      bytes += bytesWritten
    }
    await handle.datasync()
    return bytes
  } finally {
    await handle.close()
  }
}

// Each page is a record, so that it becomes a page again.
function* snapshotParts(tree: Tree): Generator<Buffer, void> {
  yield fileHeader('snapshot')
  for (const page of tree.pageContents()) {
    yield recordHeader(page, 0)
    yield page
  }
  let puts: Entry[] = []
  let bytes = 0
  for (const [key, value] of tree.entriesOutsidePages()) {
    puts.push([key, value])
    bytes += key.length + value.length
    if (bytes < sliceBytes) continue
    yield encodeBatch({ drops: [], puts }, 0)
    puts = []
    bytes = 0
  }
  if (puts.length > 0) yield encodeBatch({ drops: [], puts }, 0)
  yield encodeEnd()
}
