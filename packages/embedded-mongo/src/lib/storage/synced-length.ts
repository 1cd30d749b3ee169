import { closeSync, openSync, readFileSync, writeSync } from 'node:fs'
import { crc32 } from 'node:zlib'

// The file beside a log that states how many bytes of the log were on disk at its last sync. What is
// missing or unreadable before that place was lost or damaged later, not torn by a crash.
export function syncedFile(log: string): string {
  return `${log}.synced`
}

const lengthBytes = 6

// 0 if it is not known: logs of earlier versions have no such file.
export function readSyncedLength(log: string): number {
  let bytes: Buffer
  try {
    bytes = readFileSync(syncedFile(log))
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return 0
    throw error
  }
  if (bytes.length !== lengthBytes + 4) return 0
  // The file itself is not synced, so a power failure can leave anything in it.
  const isValid = crc32(bytes.subarray(0, lengthBytes)) === bytes.readUInt32BE(lengthBytes)
  return isValid ? bytes.readUIntBE(0, lengthBytes) : 0
}

export interface SyncedLengthWriter {
  write(length: number): void
  close(): void
}

export function createSyncedLengthWriter(log: string): SyncedLengthWriter {
  let descriptor: number | undefined
  return {
    write(length) {
      const bytes = Buffer.allocUnsafe(lengthBytes + 4)
      bytes.writeUIntBE(length, 0, lengthBytes)
      bytes.writeUInt32BE(crc32(bytes.subarray(0, lengthBytes)), lengthBytes)
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
