import { copyFileSync, existsSync, readdirSync, truncateSync, unlinkSync } from 'node:fs'
import { basename, join } from 'node:path'
import { type Manifest, readManifest } from './manifest.ts'
import { FILE_HEADER_LENGTH, type RecordVisitor } from './record-format.ts'
import { findSyncedAfter, readRecords } from './record-reader.ts'
import { StoreDamage } from './store.ts'
import { Tree } from './tree.ts'

export interface Recovered {
  tree: Tree
  manifest: Manifest
  // The log to append to.
  log: number
  // Total size of the replayed logs.
  logBytes: number
  snapshotBytes: number
  // The folder has no manifest yet.
  isNew: boolean
}

interface RecoverOptions {
  // Keep the valid beginning of a damaged log and set the rest aside.
  repair: boolean
  warn: (message: string) => void
}

export function numberedFile(directory: string, kind: 'log' | 'snapshot', number: number): string {
  return join(directory, `${kind}-${number}`)
}

// Reads the snapshot, then every log from its number on.
export function recover(directory: string, options: RecoverOptions): Recovered {
  const known = readManifest(directory)
  const manifest = known ?? startManifest(directory)
  const tree = new Tree()
  const snapshotBytes =
    manifest.snapshot > 0
      ? loadSnapshot(numberedFile(directory, 'snapshot', manifest.snapshot), tree)
      : 0
  const logs = listLogs(directory, manifest.log)
  if (known && logs.length === 0) {
    throw new StoreDamage(`${numberedFile(directory, 'log', manifest.log)} is missing.`)
  }
  let logBytes = 0
  for (const [position, number] of logs.entries()) {
    const file = numberedFile(directory, 'log', number)
    logBytes += replay(file, tree, { ...options, isLast: position === logs.length - 1 })
  }
  removeLeftovers(directory, manifest)
  return {
    tree,
    manifest,
    log: logs.at(-1) ?? manifest.log,
    logBytes,
    snapshotBytes,
    isNew: !known,
  }
}

// Without a manifest the folder must be new; otherwise its data would be silently lost.
function startManifest(directory: string): Manifest {
  const existing = readdirSync(directory).find((name) =>
    /^(?:snapshot|log)-[2-9]|^snapshot-/.test(name),
  )
  if (existing) {
    throw new StoreDamage(`${join(directory, 'manifest')} is missing, but ${existing} exists.`)
  }
  return { snapshot: 0, log: 1 }
}

function loadSnapshot(file: string, tree: Tree): number {
  if (!existsSync(file))
    throw new StoreDamage(`${file} is missing, although the manifest names it.`)
  let isComplete = false
  const { validBytes, fileBytes } = readRecords(file, 'snapshot', {
    ...createReplay(tree),
    end: () => {
      isComplete = true
    },
  })
  if (isComplete && validBytes === fileBytes) return fileBytes
  throw new StoreDamage(`${file} is damaged at byte ${validBytes} of ${fileBytes}.`)
}

function replay(file: string, tree: Tree, options: RecoverOptions & { isLast: boolean }): number {
  const { validBytes, fileBytes } = readRecords(file, 'log', createReplay(tree))
  if (validBytes === fileBytes) return validBytes
  const synced = findSyncedAfter(file, validBytes)
  // Complete records after a broken one: in a power failure bytes reach the disk in any order, but
  // not if the broken record was known to be on disk.
  const isHeadless = validBytes === 0 && fileBytes >= FILE_HEADER_LENGTH
  const isTorn = options.isLast && !isHeadless && (synced === undefined || synced <= validBytes)
  if (!isTorn && !options.repair) {
    throw new StoreDamage(
      `${file} is damaged at byte ${validBytes} of ${fileBytes}, and not by a crash while writing. ` +
        `Nothing was changed. To keep the data before that byte and set the rest aside, run: npx embedded-mongo compact --repair ${join(file, '..')}`,
    )
  }
  cut(file, { validBytes, fileBytes, keep: synced !== undefined || !isTorn, warn: options.warn })
  return validBytes
}

function cut(
  file: string,
  at: { validBytes: number; fileBytes: number; keep: boolean; warn: (message: string) => void },
): void {
  const { validBytes, fileBytes, keep, warn } = at
  const aside = `${file}.damaged`
  if (keep) copyFileSync(file, aside)
  truncateSync(file, validBytes)
  warn(
    `${basename(file)}: ${fileBytes - validBytes} bytes after byte ${validBytes} were not a complete record and were removed` +
      (keep ? `; the original file is ${aside}` : ''),
  )
}

function createReplay(tree: Tree): RecordVisitor {
  return {
    put: (key, value) => tree.set(key, value),
    delete: (key) => tree.delete(key),
    drop: (start, end) => tree.apply({ drops: [[start, end]], puts: [] }),
    end: () => {},
  }
}

function listLogs(directory: string, first: number): number[] {
  const numbers = readdirSync(directory)
    .map((name) => Number(/^log-(\d+)$/.exec(name)?.[1] ?? 0))
    .filter((number) => number >= first)
    .toSorted((a, b) => a - b)
  for (const [position, number] of numbers.entries()) {
    if (number !== first + position) {
      throw new StoreDamage(`${numberedFile(directory, 'log', first + position)} is missing.`)
    }
  }
  return numbers
}

// Left by a crash during compaction: files the manifest does not name.
function removeLeftovers(directory: string, manifest: Manifest): void {
  for (const name of readdirSync(directory)) {
    const [match, kind, number] = /^(log|snapshot)-(\d+)(\.tmp)?$/.exec(name) ?? []
    if (!match && name !== 'manifest.tmp') continue
    const isOld = kind === 'log' && Number(number) < manifest.log
    const isOther = kind === 'snapshot' && Number(number) !== manifest.snapshot
    if (isOld || isOther || name.endsWith('.tmp')) unlinkSync(join(directory, name))
  }
}
