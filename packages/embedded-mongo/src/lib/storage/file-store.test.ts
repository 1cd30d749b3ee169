import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { measureCpu } from '../../../../../test/measure-growth.ts'
import { openFileStore } from './file-store.ts'
import { encodeBatch, encodeEnd, fileHeader } from './record-format.ts'
import { type Batch, type Reader, scan } from './store.ts'

// 1,000 rounds: TORN_LOG_ROUNDS=1000 npx vitest run file-store
const rounds = Number(process.env['TORN_LOG_ROUNDS'] ?? 150)

const folders: string[] = []

afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true })
})

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'embedded-mongo-store-'))
  folders.push(folder)
  return folder
}

function open(directory: string, warnings: string[] = []): ReturnType<typeof openFileStore> {
  return openFileStore({ directory, warn: (message) => warnings.push(message) })
}

function contents(reader: Reader): Map<string, string> {
  const entries = [...scan(reader, { start: '', end: '\u0100' })]
  return new Map(entries.map(([key, value]) => [key, value.toString('hex')]))
}

function put(key: string, value: string | Buffer): Batch {
  return { drops: [], puts: [[key, value]] }
}

// Batches of all kinds, and what the store holds after each. After a kill, the folder is as it was
// before the store was closed.
async function writeHistory(
  target: string,
  options: { syncAt: (i: number) => boolean; isKilled?: boolean },
): Promise<Map<string, string>[]> {
  const directory = options.isKilled ? newFolder() : target
  const store = open(directory)
  const states = [contents(store)]
  for (let i = 0; i < 40; i += 1) {
    const puts: Batch['puts'] = [
      [`\u0001a${i % 13}`, Buffer.alloc(1 + ((i * 37) % 300), i)],
      [`\u0002\u00ff${i}`, `record${i}`],
      [`\u0001a${(i * 5) % 17}`, i % 3 === 0 ? undefined : Buffer.from([i])],
    ]
    store.apply({ drops: i % 11 === 10 ? [['\u0002', '\u0003']] : [], puts })
    states.push(contents(store))
    if (options.syncAt(i)) await store.sync()
  }
  if (options.isKilled) cpSync(directory, target, { recursive: true })
  await store.close()
  return states
}

// The folder of a process that was killed near the end of a record of this many bytes.
async function cutWithin(
  size: number,
  toByte: ((i: number) => number) | undefined,
): Promise<string> {
  const source = newFolder()
  await writeHistory(source, { syncAt: () => true, isKilled: true })
  const log = join(source, 'log-1')
  const records = readFileSync(log).subarray(16)
  const bytes = Buffer.alloc(size)
  if (toByte) for (let i = 0; i < size; i += 1) bytes[i] = toByte(i)
  else for (let i = 0; i < size; i += 100) records.copy(bytes, i, 0, 99)
  const store = openFileStore({ directory: source, compactAtBytes: Infinity, warn: () => {} })
  store.apply(put('\u0001big', bytes))
  const killed = newFolder()
  cpSync(source, killed, { recursive: true })
  await store.close()
  truncateSync(join(killed, 'log-1'), size - 1000)
  return killed
}

// A command may change nothing that is stored, such as dropping a database that does not exist.
describe('an empty batch', () => {
  const empty: Batch = { drops: [], puts: [] }

  it('is not written', async () => {
    const directory = newFolder()
    for (let round = 0; round < 3; round += 1) {
      const store = open(directory)
      store.apply(empty)
      store.apply(put('\u0001a', `round ${round}`))
      store.apply(empty)
      await store.close()
    }
    const store = open(directory)
    expect(store.get('\u0001a')?.toString()).toBe('round 2')
    await store.close()
  })

  it('is read in folders of earlier versions, which wrote it', async () => {
    const directory = newFolder()
    const first = open(directory)
    first.apply(put('\u0001a', 'a'))
    await first.close()
    const log = join(directory, 'log-1')
    const records = [encodeBatch(empty, 0), encodeBatch(put('\u0001b', 'b'), 0)]
    writeFileSync(log, Buffer.concat([readFileSync(log), ...records, encodeBatch(empty, 0)]))
    const store = open(directory)
    expect([...contents(store).keys()]).toEqual(['\u0001a', '\u0001b'])
    await store.close()
  })

  it('is not a file that ends with zeros', async () => {
    const directory = newFolder()
    const first = open(directory)
    first.apply(put('\u0001a', 'a'))
    await first.close()
    const log = join(directory, 'log-1')
    writeFileSync(log, Buffer.concat([readFileSync(log), Buffer.alloc(100)]))
    const warnings: string[] = []
    const store = open(directory, warnings)
    expect([contents(store).size, warnings.length]).toEqual([1, 1])
    await store.close()
  })
})

describe('openFileStore', () => {
  it('restores what was written, deleted and dropped', async () => {
    const directory = newFolder()
    const states = await writeHistory(directory, { syncAt: () => false })
    const store = open(directory)
    expect(contents(store)).toEqual(states.at(-1))
    await store.close()
  })

  it(`recovers the exact valid prefix of a torn or flipped log, or fails to open (${rounds} rounds)`, async () => {
    const source = newFolder()
    const states = await writeHistory(source, { syncAt: (i) => i % 4 === 3, isKilled: true })
    const log = readFileSync(join(source, 'log-1'))
    // As a folder of an earlier version, and after a power failure.
    rmSync(join(source, 'log-1.synced'))
    const tally = { prefix: 0, refused: 0 }
    const problems: string[] = []
    for (let round = 0; round < rounds; round += 1) {
      const directory = newFolder()
      cpSync(source, directory, { recursive: true })
      const isCut = round % 2 === 0
      const place = Math.floor(Math.random() * log.length)
      const damaged = Buffer.from(isCut ? log.subarray(0, place) : log)
      if (!isCut) damaged.writeUInt8(damaged.readUInt8(place) ^ (1 << (round % 8)), place)
      writeFileSync(join(directory, 'log-1'), damaged)
      const warnings: string[] = []
      const outcome = attempt(() => contents(open(directory, warnings)))
      tally[typeof outcome === 'string' ? 'refused' : 'prefix'] += 1
      const wholeRecords = recordStarts(log).filter((start) => start <= place).length - 1
      const problem =
        typeof outcome === 'string'
          ? checkRefusal(outcome, { isCut, isUntouched: isFile(join(directory, 'log-1'), damaged) })
          : checkPrefix(outcome, states[Math.max(0, wholeRecords)], {
              // A cut between two records is not damage, and is not reported.
              needsWarning: !(isCut && recordStarts(log).includes(place)) && place > 0,
              warnings,
            })
      if (problem) problems.push(`${isCut ? 'cut' : 'flip'} at ${place}: ${problem}`)
      rmSync(directory, { recursive: true })
    }
    process.stdout.write(`torn logs: ${JSON.stringify(tally)}\n`)
    expect(problems).toEqual([])
    expect(tally.prefix).toBeGreaterThan(rounds / 4)
    expect(tally.refused).toBeGreaterThan(rounds / 8)
  })

  it('opens a log that was cut or flipped if nothing was lost that was on disk, and not otherwise', async () => {
    const killed = newFolder()
    const stopped = newFolder()
    const states = await writeHistory(killed, { syncAt: (i) => i === 30, isKilled: true })
    await writeHistory(stopped, { syncAt: () => false })
    const log = readFileSync(join(killed, 'log-1'))
    const starts = recordStarts(log)
    const synced = starts[31] ?? 0
    const problems: string[] = []
    for (let round = 0; round < rounds; round += 1) {
      const [source, safe] = round % 3 === 0 ? [stopped, log.length] : [killed, synced]
      const directory = newFolder()
      cpSync(source, directory, { recursive: true })
      const isCut = round % 2 === 0
      const isAtRecord = round % 5 === 0
      const place = isAtRecord
        ? (starts[Math.floor(Math.random() * starts.length)] ?? 0)
        : Math.floor(Math.random() * log.length)
      const damaged = Buffer.from(isCut ? log.subarray(0, place) : log)
      if (!isCut) damaged.writeUInt8(damaged.readUInt8(place) ^ (1 << (round % 8)), place)
      writeFileSync(join(directory, 'log-1'), damaged)
      const outcome = attempt(() => contents(open(directory)))
      const wholeRecords = starts.filter((start) => start <= place).length - 1
      const wanted = place >= safe ? states[wholeRecords] : undefined
      const isRight =
        typeof outcome === 'string'
          ? !wanted && outcome.includes(join(directory, 'log-1')) && /byte|version/.test(outcome)
          : wanted && isSame(outcome, wanted)
      if (!isRight) problems.push(`${isCut ? 'cut' : 'flip'} at ${place} of ${safe}`)
      rmSync(directory, { recursive: true })
    }
    expect(problems).toEqual([])
  })

  it('says how many bytes are missing at the end of a log, and keeps the rest with the repair option', async () => {
    const directory = newFolder()
    const states = await writeHistory(directory, { syncAt: () => false })
    const file = join(directory, 'log-1')
    const log = readFileSync(file)
    const place = recordStarts(log)[20] ?? 0
    truncateSync(file, place)
    expect(() => open(directory)).toThrow(
      `${file} ends at byte ${place}, but ${log.length} bytes of it were on disk`,
    )
    expect(readFileSync(file).length).toBe(place)
    const warnings: string[] = []
    const store = openFileStore({ directory, repair: true, warn: (text) => warnings.push(text) })
    expect(contents(store)).toEqual(states[20])
    expect(warnings).toEqual([expect.stringContaining('its end is missing')])
    await store.close()
    await open(directory).close()
  })

  it('does not open without a log that there was', async () => {
    const directory = newFolder()
    await writeHistory(directory, { syncAt: () => false })
    writeFileSync(join(directory, 'log-2.synced'), '')
    expect(() => open(directory)).toThrow(`${join(directory, 'log-2')} is missing`)
  })

  it.each([
    ['text', (i: number) => 97 + (i % 26)],
    ['numbers', (i: number) => (i % 7 === 0 ? (i >> 3) & 0xff : 0)],
    ['small bytes', (i: number) => (i * 2_654_435_761) % 5],
    ['records', undefined],
  ])(
    'opens a log that a kill cut within %s, in time that grows with its length',
    async (_what, toByte) => {
      const openCut = async (size: number): Promise<number> => {
        const directory = await cutWithin(size, toByte)
        let count = 0
        const cpu = await measureCpu(() => (count = contents(open(directory)).size))
        expect(count).toBeGreaterThan(10)
        return cpu
      }
      const megabyte = 1024 * 1024
      expect((await openCut(24 * megabyte)) / (await openCut(6 * megabyte))).toBeLessThan(10)
    },
  )

  it('accepts writes again after a torn tail was removed', async () => {
    const directory = newFolder()
    await writeHistory(directory, { syncAt: () => false, isKilled: true })
    const file = join(directory, 'log-1')
    truncateSync(file, readFileSync(file).length - 3)
    const store = open(directory)
    store.apply(put('\u0001new', 'value'))
    const state = contents(store)
    await store.close()
    const warnings: string[] = []
    const again = open(directory, warnings)
    expect(contents(again)).toEqual(state)
    expect(warnings).toEqual([])
    await again.close()
  })

  it('keeps the valid beginning and sets the rest aside with the repair option', async () => {
    const directory = newFolder()
    const states = await writeHistory(directory, { syncAt: () => true })
    const file = join(directory, 'log-1')
    const bytes = readFileSync(file)
    const [, , third = 0] = recordStarts(bytes)
    bytes.writeUInt8(bytes.readUInt8(third + 20) ^ 4, third + 20)
    writeFileSync(file, bytes)
    expect(() => open(directory)).toThrow(/damaged at byte/)
    const warnings: string[] = []
    const store = openFileStore({ directory, repair: true, warn: (text) => warnings.push(text) })
    expect(contents(store)).toEqual(states[2])
    expect(readFileSync(`${file}.damaged`).equals(bytes)).toBe(true)
    expect(warnings).toEqual([expect.stringContaining('log-1.damaged')])
    await store.close()
  })

  it.each([
    [
      'a newer log',
      (folder: string) => setVersion(join(folder, 'log-1')),
      /log-1 has format version 2/,
    ],
    [
      'a newer manifest',
      (folder: string) => writeFileSync(join(folder, 'manifest'), '{"format":2}'),
      /manifest has format version 2/,
    ],
    [
      'a manifest that is none',
      (folder: string) => writeFileSync(join(folder, 'manifest'), '{'),
      /manifest is damaged/,
    ],
    ['a missing log', (folder: string) => rmSync(join(folder, 'log-1')), /log-1 is missing/],
    [
      'a missing snapshot',
      (folder: string) =>
        writeFileSync(join(folder, 'manifest'), '{"format":1,"snapshot":1,"log":1}'),
      /snapshot-1 is missing/,
    ],
    [
      'a missing manifest beside later files',
      (folder: string) => {
        rmSync(join(folder, 'manifest'))
        writeFileSync(join(folder, 'log-2'), '')
      },
      /manifest is missing/,
    ],
  ])('does not open with %s and reports where', async (_name, damage, message) => {
    const directory = newFolder()
    await writeHistory(directory, { syncAt: () => false })
    damage(directory)
    expect(() => open(directory)).toThrow(message)
  })
})

describe('compact', () => {
  it('leaves one snapshot with the same contents, and goes on in a new log', async () => {
    const directory = newFolder()
    await writeHistory(directory, { syncAt: () => false })
    const store = open(directory)
    const compaction = store.compact()
    // Writes go on while the snapshot is written.
    store.apply(put('\u0001during', 'compaction'))
    await compaction
    store.apply(put('\u0001after', 'compaction'))
    const state = contents(store)
    await store.close()
    expect(readdirSync(directory).toSorted()).toEqual([
      'log-2',
      'log-2.synced',
      'manifest',
      'snapshot-2',
    ])
    const again = open(directory)
    expect(contents(again)).toEqual(state)
    await again.close()
  })

  it('keeps documents that fill several pages, small ones and large ones, compacted twice', async () => {
    const directory = newFolder()
    const store = open(directory)
    const sizeOf = (i: number) => (i % 50 === 0 ? 40_000 : 600)
    for (let i = 0; i < 2000; i += 1) {
      const id = String.fromCharCode(i >> 8, i & 255)
      store.apply(put(`\u0001${id}`, Buffer.alloc(sizeOf(i), i)))
      store.apply(put(`\u0002${id}`, id))
    }
    store.apply(put('\u0003', 'counts'))
    await store.compact()
    store.apply(put('\u0001\u0001\u0002', Buffer.alloc(50_000, 1)))
    store.apply(put('\u0001\u0000\u0000', Buffer.alloc(100, 1)))
    store.apply({ drops: [], puts: [['\u0001\u0001\u0005', undefined]] })
    const state = contents(store)
    await store.close()
    const again = open(directory)
    expect(contents(again)).toEqual(state)
    await again.compact()
    await again.close()
    const last = open(directory)
    expect(contents(last)).toEqual(state)
    await last.close()
  })

  it('reads the snapshot of an earlier version, whose records hold keys of all kinds in order', async () => {
    const directory = newFolder()
    await open(directory).close()
    const entries: [string, Buffer | string][] = [['\u0000app.items', Buffer.from('options')]]
    for (let i = 0; i < 900; i += 1)
      entries.push([
        `\u0001${String(i).padStart(3, '0')}`,
        Buffer.alloc(i % 300 === 5 ? 90_000 : 900, i),
      ])
    for (let i = 0; i < 900; i += 1) entries.push([`\u0002${String(i).padStart(3, '0')}`, `id${i}`])
    entries.push(['\u0003counts', '900 1'], ['\u0004session', Buffer.from('reply')])
    const records = [entries.slice(0, 300), entries.slice(300, 800), entries.slice(800)]
    writeFileSync(
      join(directory, 'snapshot-1'),
      Buffer.concat([
        fileHeader('snapshot'),
        ...records.map((puts) => encodeBatch({ drops: [], puts }, 0)),
        encodeEnd(),
      ]),
    )
    writeFileSync(join(directory, 'manifest'), '{"format":1,"snapshot":1,"log":1}')
    const store = open(directory)
    expect(contents(store)).toEqual(
      new Map(entries.map(([key, value]) => [key, value.toString('hex')])),
    )
    await store.close()
  })

  it('starts by itself when the log has grown', async () => {
    const directory = newFolder()
    const store = openFileStore({ directory, compactAtBytes: 20_000, warn: () => {} })
    for (let i = 0; i < 100; i += 1) store.apply(put(`\u0001${i % 5}`, Buffer.alloc(1000, i)))
    const state = contents(store)
    await store.close()
    expect(readdirSync(directory)).not.toContain('log-1')
    const again = open(directory)
    expect(contents(again)).toEqual(state)
    await again.close()
  })

  it('may be interrupted at any moment', async () => {
    const directory = newFolder()
    await writeHistory(directory, { syncAt: () => false })
    const before = newFolder()
    cpSync(directory, before, { recursive: true })
    const store = open(directory)
    const state = contents(store)
    await store.compact()
    await store.close()
    const snapshot = readFileSync(join(directory, 'snapshot-2'))
    const newLog = readFileSync(join(directory, 'log-2'))
    const newManifest = readFileSync(join(directory, 'manifest'))
    const stages: [string, (folder: string) => void][] = [
      ['log-2 empty', (folder) => writeFileSync(join(folder, 'log-2'), '')],
      ['log-2 begun', (folder) => writeFileSync(join(folder, 'log-2'), newLog)],
      ...[0, 7, 100, snapshot.length].map((length): [string, (folder: string) => void] => [
        `snapshot.tmp with ${length} bytes`,
        (folder) => {
          writeFileSync(join(folder, 'log-2'), newLog)
          writeFileSync(join(folder, 'snapshot-2.tmp'), snapshot.subarray(0, length))
        },
      ]),
      [
        'snapshot renamed, manifest.tmp half',
        (folder) => {
          writeFileSync(join(folder, 'log-2'), newLog)
          writeFileSync(join(folder, 'snapshot-2'), snapshot)
          writeFileSync(join(folder, 'manifest.tmp'), newManifest.subarray(0, 5))
        },
      ],
      [
        'manifest renamed, old log still there',
        (folder) => {
          writeFileSync(join(folder, 'log-2'), newLog)
          writeFileSync(join(folder, 'snapshot-2'), snapshot)
          writeFileSync(join(folder, 'manifest'), newManifest)
        },
      ],
    ]
    const outcomes = await Promise.all(
      stages.map(async ([name, build]) => {
        const folder = newFolder()
        cpSync(before, folder, { recursive: true })
        build(folder)
        const opened = open(folder)
        const isRight = isSame(contents(opened), state)
        opened.apply(put('\u0001more', 'x'))
        await opened.close()
        const again = open(folder)
        const keepsMore = again.get('\u0001more') === 'x'
        await again.close()
        const leftovers = readdirSync(folder).filter((file) => file.endsWith('.tmp'))
        return { name, isRight, keepsMore, leftovers }
      }),
    )
    expect(outcomes).toEqual(
      stages.map(([name]) => ({ name, isRight: true, keepsMore: true, leftovers: [] })),
    )
  })

  it('rejects an incomplete snapshot', async () => {
    const directory = newFolder()
    await writeHistory(directory, { syncAt: () => false })
    const store = open(directory)
    await store.compact()
    await store.close()
    const file = join(directory, 'snapshot-2')
    truncateSync(file, readFileSync(file).length - 15)
    expect(() => open(directory)).toThrow(/snapshot-2 is damaged/)
  })

  it('reports a failure and keeps the data', async () => {
    const directory = newFolder()
    const warnings: string[] = []
    const warn = (message: string): unknown => warnings.push(message)
    const store = openFileStore({ directory, compactAtBytes: 1000, warn })
    // A folder where the snapshot should be written.
    mkdirSync(join(directory, 'snapshot-2.tmp'))
    store.apply(put('\u0001a', 'b'))
    await expect(store.compact()).rejects.toMatchObject({ code: 14031 })
    expect(warnings).toEqual([])
    mkdirSync(join(directory, 'snapshot-3.tmp'))
    for (let i = 0; i < 3; i += 1) store.apply(put('\u0001x', Buffer.alloc(500)))
    await expect.poll(() => warnings).toEqual([expect.stringContaining('compaction failed')])
    rmSync(join(directory, 'snapshot-3.tmp'), { recursive: true })
    rmSync(join(directory, 'snapshot-2.tmp'), { recursive: true })
    store.apply(put('\u0001c', 'd'))
    await store.close()
    const again = open(directory)
    expect([again.get('\u0001a'), again.get('\u0001c')]).toEqual(['b', 'd'])
    await again.close()
  })
})

describe('a folder that cannot take a new log', () => {
  it('continues in the old one, and opens again after a compaction that could not start', async () => {
    const directory = newFolder()
    const store = open(directory)
    store.apply(put('\u0001a', 'b'))
    mkdirSync(join(directory, 'log-2'))
    await expect(store.compact()).rejects.toMatchObject({ code: 14031 })
    await expect(store.compact()).rejects.toMatchObject({ code: 14031 })
    store.apply(put('\u0001c', 'd'))
    rmSync(join(directory, 'log-2'), { recursive: true })
    await store.compact()
    store.apply(put('\u0001e', 'f'))
    await store.close()
    const again = open(directory)
    expect(['a', 'c', 'e'].map((key) => again.get(`\u0001${key}`))).toEqual(['b', 'd', 'f'])
    await again.close()
  })

  it.skipIf(process.platform !== 'linux')('leaves no empty log behind on a full disk', async () => {
    const directory = newFolder()
    const store = open(directory)
    store.apply(put('\u0001a', 'b'))
    symlinkSync('/dev/full', join(directory, 'log-2'))
    await expect(store.compact()).rejects.toThrow(/ENOSPC/)
    expect(existsSync(join(directory, 'log-2'))).toBe(false)
    await store.close()
  })
})

describe('a folder of a newer version', () => {
  it.each(['manifest', 'log-2', 'snapshot-2'])(
    'is refused for its %s, and left as it is',
    async (name) => {
      const directory = newFolder()
      const store = open(directory)
      store.apply(put('\u0001a', 'b'))
      await store.compact()
      await store.close()
      const file = join(directory, name)
      const bytes = readFileSync(file)
      if (name === 'manifest') bytes.write(bytes.toString().replace('"format":1', '"format":7'))
      else bytes.writeUInt32BE(7, 12)
      writeFileSync(file, bytes)
      expect(() => open(directory)).toThrow(
        `${file} has format version 7; this version reads up to 1. Update @create-api/embedded-mongo.`,
      )
      expect(readFileSync(file)).toEqual(bytes)
    },
  )
})

describe.skipIf(process.platform !== 'linux')('a disk that fails', () => {
  it('accepts no write after a failed sync', async () => {
    const directory = newFolder()
    // The null device takes every byte, and cannot be synced.
    symlinkSync('/dev/null', join(directory, 'log-1'))
    const store = open(directory)
    store.apply(put('\u0001a', 'b'))
    await expect(store.sync()).rejects.toMatchObject({ code: 14031 })
    expect(() => store.apply(put('\u0001c', 'd'))).toThrow(/cannot be written/)
    expect(store.get('\u0001c')).toBeUndefined()
    await expect(store.sync()).rejects.toMatchObject({ code: 14031 })
    await store.close()
  })

  it('does not open on a full disk', () => {
    const directory = newFolder()
    symlinkSync('/dev/full', join(directory, 'log-1'))
    expect(() => open(directory)).toThrow(/ENOSPC/)
  })
})

function attempt<T>(run: () => T): T | string {
  try {
    return run()
  } catch (error) {
    if (error instanceof Error && error.name === 'StoreDamage') return error.message
    throw error
  }
}

function checkRefusal(
  message: string,
  { isCut, isUntouched }: { isCut: boolean; isUntouched: boolean },
): string | undefined {
  if (isCut) return `a cut was refused: ${message}`
  if (!isUntouched) return 'a refusal changed the file'
  const isClear = /log-1.* (?:is damaged at byte \d+|has format version)/.test(message)
  return isClear ? undefined : `unclear: ${message}`
}

function checkPrefix(
  found: Map<string, string>,
  wanted: Map<string, string> | undefined,
  { needsWarning, warnings }: { needsWarning: boolean; warnings: string[] },
): string | undefined {
  if (!wanted || !isSame(found, wanted)) return 'not the exact prefix'
  return needsWarning && warnings.length === 0 ? 'something was dropped silently' : undefined
}

function isFile(file: string, bytes: Buffer): boolean {
  return readFileSync(file).equals(bytes)
}

function isSame(a: Map<string, string>, b: Map<string, string>): boolean {
  return a.size === b.size && [...a].every(([key, value]) => b.get(key) === value)
}

function recordStarts(log: Buffer): number[] {
  const starts: number[] = []
  let offset = 16
  while (offset < log.length) {
    starts.push(offset)
    offset += 14 + log.readUInt32BE(offset)
  }
  return starts
}

function setVersion(file: string): void {
  const bytes = readFileSync(file)
  bytes.writeUInt32BE(2, 12)
  writeFileSync(file, bytes)
}
