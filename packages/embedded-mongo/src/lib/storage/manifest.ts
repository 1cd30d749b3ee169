import { closeSync, fsyncSync, openSync, readFileSync, renameSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { FORMAT_VERSION } from './record-format.ts'
import { StoreDamage } from './store-damage.ts'

/** Which files of a data folder count. */
export interface Manifest {
  /** Number of the snapshot to begin with; 0 for none. */
  snapshot: number
  /** Number of the first log to replay after it. */
  log: number
}

const NAME = 'manifest'

/**
 * Reads a folder's manifest.
 *
 * @param directory The data folder.
 * @returns The manifest, `undefined` in a folder without one.
 * @throws {StoreDamage} It cannot be understood, or is of a newer version.
 */
export function readManifest(directory: string): Manifest | undefined {
  const file = join(directory, NAME)
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
    throw error
  }
  const { format, snapshot, log } = parse(file, text)
  if (typeof format === 'number' && format > FORMAT_VERSION) {
    throw new StoreDamage(
      `${file} has format version ${format}; this version reads up to ${FORMAT_VERSION}. Update @create-api/embedded-mongo.`,
    )
  }
  if (format !== FORMAT_VERSION || typeof snapshot !== 'number' || typeof log !== 'number') {
    throw damaged(file)
  }
  return { snapshot, log }
}

/**
 * Replaces a folder's manifest; a crash leaves the old or the new one.
 *
 * @param directory The data folder.
 * @param manifest The new manifest.
 */
export function writeManifest(directory: string, manifest: Manifest): void {
  const file = join(directory, NAME)
  const descriptor = openSync(`${file}.tmp`, 'w', 0o600)
  writeSync(descriptor, `${JSON.stringify({ format: FORMAT_VERSION, ...manifest })}\n`)
  fsyncSync(descriptor)
  closeSync(descriptor)
  renameSync(`${file}.tmp`, file)
  syncDirectory(directory)
}

/**
 * Makes new and renamed files of a folder survive a power cut.
 *
 * @param directory The folder.
 */
export function syncDirectory(directory: string): void {
  // Windows cannot open a folder; there the rename alone must do.
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
  return new StoreDamage(`${file} is damaged: it names no snapshot and log.`, { cause })
}
