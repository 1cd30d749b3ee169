import {
  closeSync,
  constants,
  fdatasync,
  fdatasyncSync,
  fstatSync,
  ftruncateSync,
  openSync,
  unlinkSync,
  writeSync,
} from 'node:fs'
import { CommandError } from '../errors/command-error.ts'
import { errorText } from '../errors/error-text.ts'
import { encodeBatch, fileHeader } from './record-format.ts'
import { type Batch } from './store.ts'
import { createSyncedLengthWriter, type SyncedLengthWriter } from './synced-length.ts'

const syncIntervalMs = 100

export class LogWriter {
  readonly file: string
  readonly #descriptor: number
  readonly #marker: SyncedLengthWriter
  #length: number
  #synced = 0
  #failure: Error | undefined
  #timer: NodeJS.Timeout | undefined
  #running: Promise<void> | undefined
  #next: Promise<void> | undefined

  constructor(file: string) {
    this.file = file
    this.#marker = createSyncedLengthWriter(file)
    const flags = constants.O_RDWR | constants.O_CREAT
    this.#descriptor = openSync(file, flags, 0o600)
    this.#length = fstatSync(this.#descriptor).size
    if (this.#length === 0) this.#begin()
  }

  get length(): number {
    return this.#length
  }

  // Appends a whole batch, or leaves the file as it was.
  append(batch: Batch): void {
    if (this.#failure) throw toCommandError(this.#failure)
    this.#write(encodeBatch(batch, this.#synced))
    this.#timer ??= setTimeout(() => this.#onTimer(), syncIntervalMs).unref()
  }

  // One sync runs at a time; the next covers everything written meanwhile.
  sync(): Promise<void> {
    if (this.#failure) return Promise.reject(toCommandError(this.#failure))
    if (!this.#running) return this.#startSync()
    this.#next ??= this.#running.then(() => {
      this.#next = undefined
      return this.#startSync()
    })
    return this.#next
  }

  syncNow(): void {
    fdatasyncSync(this.#descriptor)
    this.#markSynced(this.#length)
  }

  async close(): Promise<void> {
    clearTimeout(this.#timer)
    await this.#next?.catch(() => {})
    await this.#running?.catch(() => {})
    if (!this.#failure) this.syncNow()
    closeSync(this.#descriptor)
    this.#marker.close()
  }

  // An empty log next to the one in use would be mistaken for the last one.
  #begin(): void {
    try {
      this.#write(fileHeader('log'))
    } catch (error) {
      closeSync(this.#descriptor)
      unlinkSync(this.file)
      throw error
    }
  }

  #startSync(): Promise<void> {
    const length = this.#length
    this.#running = new Promise<void>((resolve, reject) => {
      fdatasync(this.#descriptor, (error) => {
        this.#running = undefined
        if (error) {
          // It is unknown what a failed sync left unwritten: reject writes until a restart.
          this.#failure = error
          reject(toCommandError(error))
        } else {
          this.#markSynced(length)
          resolve()
        }
      })
    })
    return this.#running
  }

  #markSynced(length: number): void {
    if (length <= this.#synced) return
    this.#synced = length
    this.#marker.write(length)
  }

  #onTimer(): void {
    this.#timer = undefined
    this.sync().catch(() => {})
  }

  #write(bytes: Buffer): void {
    let written = 0
    try {
      while (written < bytes.length) {
        written += writeSync(
          this.#descriptor,
          bytes,
          written,
          bytes.length - written,
          this.#length + written,
        )
      }
    } catch (error) {
      this.#cutBack()
      throw toCommandError(error)
    }
    this.#length += bytes.length
  }

  #cutBack(): void {
    try {
      ftruncateSync(this.#descriptor, this.#length)
    } catch (error) {
      this.#failure = error instanceof Error ? error : new Error(String(error))
    }
  }
}

export function toCommandError(cause: unknown): CommandError {
  if (cause instanceof CommandError) return cause
  const reason = errorText(cause)
  return new CommandError('OutOfDiskSpace', `The data folder cannot be written: ${reason}`, {
    cause,
  })
}
