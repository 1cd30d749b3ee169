import { open, rename, unlink } from 'node:fs/promises'
import { writeManifest } from './manifest.ts'
import { encodeBatch, encodeEnd, fileHeader } from './record-format.ts'
import { numberedFile } from './recover.ts'
import { scan } from './scan.ts'
import { type Entry, type Reader } from './store.ts'

const SLICE_BYTES = 256 * 1024

/** What a compaction starts from. */
export interface CompactionInput {
  directory: string
  /** All keys as they were when the new log was begun. */
  picture: Reader
  /** Number of the new log, which the new snapshot goes with. */
  number: number
  /** Numbers of the files that are no longer needed afterwards. */
  old: { snapshot: number; logs: number[] }
}

/**
 * Writes a snapshot in slices, between commands, and then lets the manifest point to it. A crash at
 * any moment leaves a folder that opens: before the rename with the old snapshot and all logs, after
 * it with files the next start removes.
 *
 * @param input Where, and from what.
 * @returns Size of the snapshot in bytes.
 * @throws {Error} The disk does not take it; nothing has changed then.
 */
export async function compact(input: CompactionInput): Promise<number> {
  const { directory, number, old } = input
  const file = numberedFile(directory, 'snapshot', number)
  const bytes = await writeSnapshot(`${file}.tmp`, input.picture)
  await rename(`${file}.tmp`, file)
  writeManifest(directory, { snapshot: number, log: number })
  if (old.snapshot > 0) await unlink(numberedFile(directory, 'snapshot', old.snapshot))
  for (const log of old.logs) await unlink(numberedFile(directory, 'log', log))
  return bytes
}

async function writeSnapshot(file: string, picture: Reader): Promise<number> {
  const handle = await open(file, 'w', 0o600)
  try {
    let bytes = 0
    for (const part of snapshotParts(picture)) {
      const { bytesWritten } = await handle.write(part)
      if (bytesWritten < part.length) throw new Error(`${file}: the disk took only a part`)
      bytes += bytesWritten
    }
    await handle.datasync()
    return bytes
  } finally {
    await handle.close()
  }
}

function* snapshotParts(picture: Reader): Generator<Buffer, void> {
  yield fileHeader('snapshot')
  let puts: Entry[] = []
  let bytes = 0
  for (const [key, value] of scan(picture, { start: '', end: '\u0100' })) {
    puts.push([key, value])
    bytes += key.length + value.length
    if (bytes < SLICE_BYTES) continue
    yield encodeBatch({ drops: [], puts }, 0)
    puts = []
    bytes = 0
  }
  if (puts.length > 0) yield encodeBatch({ drops: [], puts }, 0)
  yield encodeEnd()
}
