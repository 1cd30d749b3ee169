import { closeSync, openSync, readFileSync, writeSync } from 'node:fs'
import { crc32 } from 'node:zlib'

// The file beside a log that states how many bytes of the log were on disk at its last sync. What is
// missing or unreadable before that place was lost or damaged later, not torn by a crash.
export function syncedFile(log: string): string {
  return `${log}.synced`
}

const LENGTH = 6

// 0 if it is not known: logs of earlier versions have no such file.
export function readSyncedLength(log: string): number {
  let bytes: Buffer
  try {
    bytes = readFileSync(syncedFile(log))
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return 0
    throw error
  }
  if (bytes.length !== LENGTH + 4) return 0
  // The file itself is not synced, so a power failure can leave anything in it.
  const isValid = crc32(bytes.subarray(0, LENGTH)) === bytes.readUInt32BE(LENGTH)
  return isValid ? bytes.readUIntBE(0, LENGTH) : 0
}

export interface SyncedLengthWriter {
  write(length: number): void
  close(): void
}

export function createSyncedLengthWriter(log: string): SyncedLengthWriter {
  let descriptor: number | undefined
  return {
    write(length) {
      const bytes = Buffer.allocUnsafe(LENGTH + 4)
      bytes.writeUIntBE(length, 0, LENGTH)
      bytes.writeUInt32BE(crc32(bytes.subarray(0, LENGTH)), LENGTH)
      try {
        descriptor ??= openSync(syncedFile(log), 'w', 0o600)
        writeSync(descriptor, bytes, 0, bytes.length, 0)
      } catch {
        // On a full disk the file keeps a lower length, which is true as well.
      }
    },
    close() {
      if (descriptor !== undefined) closeSync(descriptor)
    },
  }
}
