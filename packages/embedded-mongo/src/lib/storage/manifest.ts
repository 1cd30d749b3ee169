import { closeSync, fsyncSync, openSync, readFileSync, renameSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { formatVersion } from './record-format.ts'
import { StoreDamage } from './store.ts'

// Which files of a data folder are current.
export interface Manifest {
  // 0 for none.
  snapshot: number
  // The first log to replay after the snapshot.
  log: number
}

const name = 'manifest'

export function readManifest(directory: string): Manifest | undefined {
  const file = join(directory, name)
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
    throw error
  }
  const { format, snapshot, log } = parse(file, text)
  if (typeof format === 'number' && format > formatVersion) {
    throw new StoreDamage(
      `${file} has format version ${format}; this version reads up to ${formatVersion}. Update @create-api/embedded-mongo.`,
    )
  }
  if (format !== formatVersion || typeof snapshot !== 'number' || typeof log !== 'number') {
    throw damaged(file)
  }
  return { snapshot, log }
}

// Atomic: a crash leaves the old or the new manifest.
export function writeManifest(directory: string, manifest: Manifest): void {
  const file = join(directory, name)
  const descriptor = openSync(`${file}.tmp`, 'w', 0o600)
  writeSync(descriptor, `${JSON.stringify({ format: formatVersion, ...manifest })}\n`)
  fsyncSync(descriptor)
  closeSync(descriptor)
  renameSync(`${file}.tmp`, file)
  syncDirectory(directory)
}

// New and renamed files survive a power failure only after this.
export function syncDirectory(directory: string): void {
  // Windows cannot open a folder; there the rename has to suffice.
  if (process.platform === 'win32') return
  const descriptor = openSync(directory, 'r')
  fsyncSync(descriptor)
  closeSync(descriptor)
}

function parse(file: string, text: string): Record<string, unknown> {
  try {
    return { ...JSON.parse(text) }
  } catch (error) {
    throw damaged(file, error)
  }
}

function damaged(file: string, cause?: unknown): StoreDamage {
  return new StoreDamage(`${file} is damaged: it does not name a snapshot and a log.`, { cause })
}
