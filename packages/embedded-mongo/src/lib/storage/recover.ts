import { copyFileSync, existsSync, readdirSync, rmSync, truncateSync, unlinkSync } from 'node:fs'
import { basename, join } from 'node:path'
import { type Manifest, readManifest } from './manifest.ts'
import {
  decodeRecord,
  entryKey,
  entryKeyStart,
  entryValue,
  fileHeaderLength,
} from './record-format.ts'
import { isNumerousKind } from './keys.ts'
import { type Page, Pages, toPage } from './pages.ts'
import { SortedMap } from './sorted-map.ts'
import { findSyncedAfter, readRecords } from './record-reader.ts'
import { type Entry, StoreDamage } from './store.ts'
import { readSyncedLength, syncedFile } from './synced-length.ts'
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
  const { tree, bytes: snapshotBytes } =
    manifest.snapshot > 0
      ? loadSnapshot(numberedFile(directory, 'snapshot', manifest.snapshot))
      : { tree: new Tree(), bytes: 0 }
  const logs = listLogs(directory, manifest.log)
  if (known && logs.length === 0) {
    throw new StoreDamage(`${numberedFile(directory, 'log', manifest.log)} is missing.`)
  }
  let logBytes = 0
  for (const [position, number] of logs.entries()) {
    const file = numberedFile(directory, 'log', number)
    logBytes += replay(file, tree, { ...options, isLast: position === logs.length - 1 })
  }
  if (logBytes > 0) tree.merge()
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

// A record of documents and index entries becomes a page of the tree as it is.
function loadSnapshot(file: string): { tree: Tree; bytes: number } {
  if (!existsSync(file))
    throw new StoreDamage(`${file} is missing, although the manifest names it.`)
  const pages: Page[] = []
  const others: Entry[] = []
  let last = ''
  let isComplete = false
  const { validBytes, fileBytes } = readRecords(file, 'snapshot', (record) => {
    const content = copyOf(record)
    const starts: number[] = []
    let isNumerous = true
    decodeRecord(content, {
      put(_content, start) {
        starts.push(start)
        isNumerous &&= isNumerousKind(content[entryKeyStart(start)] ?? 0)
      },
      delete: () => {},
      drop: () => {},
      end: () => {
        isComplete = true
      },
    })
    // Values too large for pages follow the pages.
    if (isNumerous && starts[0] !== undefined && entryKey(content, starts[0]) > last) {
      pages.push(toPage(content, new Uint32Array(starts)))
      last = entryKey(content, starts.at(-1) ?? 0)
    } else {
      for (const start of starts) others.push(toEntry(content, start))
    }
  })
  if (isComplete && validBytes === fileBytes) {
    const tree = new Tree({ pages: new Pages(pages), recent: new SortedMap(others) })
    return { tree, bytes: fileBytes }
  }
  throw new StoreDamage(`${file} is damaged at byte ${validBytes} of ${fileBytes}.`)
}

function replay(file: string, tree: Tree, options: RecoverOptions & { isLast: boolean }): number {
  const { validBytes, fileBytes } = readRecords(file, 'log', (record) =>
    decodeRecord(record, {
      put: (content, start) => tree.set(...toEntry(content, start)),
      delete: (key) => tree.delete(key),
      drop: (start, end) => tree.deleteRange(start, end),
      end: () => {},
    }),
  )
  const stated = readSyncedLength(file)
  if (validBytes === fileBytes && validBytes >= stated) return validBytes
  const found = findSyncedAfter(file, validBytes)
  const synced = found === undefined ? stated : Math.max(found, stated)
  // Complete records after a broken one: in a power failure bytes reach the disk in any order, but
  // not if the broken record was known to be on disk.
  const isHeadless = validBytes === 0 && fileBytes >= fileHeaderLength
  const isTorn = options.isLast && !isHeadless && synced <= validBytes
  if (!isTorn && !options.repair) {
    const fault =
      validBytes === fileBytes
        ? `ends at byte ${fileBytes}, but ${synced} bytes of it were on disk: its end is missing`
        : `is damaged at byte ${validBytes} of ${fileBytes}, and not by a crash while writing`
    throw new StoreDamage(
      `${file} ${fault}. Nothing was changed. To keep the data before that byte and set the rest aside, run: npx embedded-mongo compact --repair ${join(file, '..')}`,
    )
  }
  cut(file, { validBytes, fileBytes, keep: found !== undefined || !isTorn, warn: options.warn })
  return validBytes
}

function toEntry(content: Buffer, start: number): Entry {
  const value = entryValue(content, start)
  return [entryKey(content, start), typeof value === 'string' ? value : Buffer.from(value)]
}

// In separate memory of the same size.
function copyOf(bytes: Buffer): Buffer {
  const copy = Buffer.allocUnsafeSlow(bytes.length)
  bytes.copy(copy)
  return copy
}

function cut(
  file: string,
  at: { validBytes: number; fileBytes: number; keep: boolean; warn: (message: string) => void },
): void {
  const { validBytes, fileBytes, keep, warn } = at
  const aside = `${file}.damaged`
  if (keep && validBytes < fileBytes) copyFileSync(file, aside)
  truncateSync(file, validBytes)
  rmSync(syncedFile(file), { force: true })
  if (validBytes === fileBytes) {
    warn(`${basename(file)}: its end is missing; the data before byte ${validBytes} was kept`)
    return
  }
  warn(
    `${basename(file)}: ${fileBytes - validBytes} bytes after byte ${validBytes} were not a complete record and were removed` +
      (keep ? `; the original file is ${aside}` : ''),
  )
}

// A log whose length is stated must exist, the last one, too.
function listLogs(directory: string, first: number): number[] {
  const found = readdirSync(directory)
    .map((name) => Number(/^log-(\d+)(?:\.synced)?$/.exec(name)?.[1] ?? 0))
    .filter((number) => number >= first)
  const numbers = [...new Set(found)].toSorted((a, b) => a - b)
  for (let number = first; number < first + numbers.length; number += 1) {
    const file = numberedFile(directory, 'log', number)
    if (!existsSync(file)) throw new StoreDamage(`${file} is missing.`)
  }
  return numbers
}

// Left by a crash during compaction: files the manifest does not name.
function removeLeftovers(directory: string, manifest: Manifest): void {
  for (const name of readdirSync(directory)) {
    const [match, kind, number] = /^(log|snapshot)-(\d+)(\.tmp|\.synced)?$/.exec(name) ?? []
    if (!match && name !== 'manifest.tmp') continue
    const isOld = kind === 'log' && Number(number) < manifest.log
    const isOther = kind === 'snapshot' && Number(number) !== manifest.snapshot
    if (isOld || isOther || name.endsWith('.tmp')) unlinkSync(join(directory, name))
  }
}
