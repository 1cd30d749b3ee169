// @ts-check
import { execFileSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { cpus } from 'node:os'

// What the database is held to; a figure beyond it fails the run.
const MOST_ADDED_CPU_US = 60
const MOST_GROWTH = 1.5
const MOST_START_MS = 50

/**
 * Writes what was measured into `results/`, with what must hold.
 *
 * @param {{ start: any, folder: any, results: any[] }} measured
 * @param {{ sizes: number[], rounds: number, concurrency: number }} settings
 * @returns {boolean} Whether all of it holds.
 */
export function report(measured, { sizes, rounds, concurrency }) {
  const { start: starting, folder: disk, results: rows } = measured
  const date = new Date().toISOString().slice(0, 10)
  const commit = execFileSync('git', ['rev-parse', '--short', 'HEAD'], { encoding: 'utf8' }).trim()
  const about = {
    date,
    commit,
    node: process.version,
    cpu: `${cpus().length} × ${cpus()[0]?.model ?? 'unknown'}`,
    command: 'node benchmarks/db/run.js',
  }
  const lines = rows.map(({ size, name, p50, floorP50, addedCpu, perSecond }) => {
    const first = rows.find((row) => row.size === sizes[0] && row.name === name)
    const cells = [name, size, us(p50), (p50 / floorP50).toFixed(2), us(addedCpu), us(perSecond)]
    return `| ${cells.join(' | ')} | ${(p50 / first.p50).toFixed(2)} |`
  })
  const criteria = judge(measured, sizes)
  const text = `# Embedded database

${Object.entries(about)
  .map(([key, value]) => `- ${key}: ${value}`)
  .join('\n')}

The floor is the same driver on a socket that sends prepared replies, in the same process, alternating
with the database. All figures except throughput are from the fastest of ${rounds} rounds, because other
load on the machine only adds time. \`added CPU\` is the CPU time of the process per operation, all
threads, above that of the floor. \`growth\` compares p50 with the smallest collection. Throughput is
measured with ${concurrency} concurrent operations.

| operation | documents | p50 µs | × floor | added CPU µs | per second | growth |
|---|---|---|---|---|---|---|
${lines.join('\n')}

| criterion | limit | worst | |
|---|---|---|---|
${criteria.map((one) => `| ${one.name} | ${one.limit} | ${one.worst} | ${one.isMet ? 'pass' : '**FAIL**'} |`).join('\n')}

- Start of an empty database in a new process, after the import: in memory ${starting.memory.p50Ms.toFixed(1)} ms (best ${starting.memory.bestMs.toFixed(1)}),
  of a folder, in a thread of its own, ${starting.folder.p50Ms.toFixed(0)} ms (best ${starting.folder.bestMs.toFixed(0)}).
- A folder of ${disk.size} documents (${mb(disk.dataBytes)} of BSON) with four indexes: ${mb(disk.diskBytes)} on disk,
  opened in ${(disk.openMs / 1000).toFixed(2)} s, ${mb(disk.rssBytes)} of memory added; loaded at ${Math.round(disk.documentsPerSecondLoaded)} documents a second.
`
  const target = new URL('../results/', import.meta.url)
  mkdirSync(target, { recursive: true })
  writeFileSync(new URL('db.md', target), text)
  writeFileSync(
    new URL('db.json', target),
    `${JSON.stringify({ ...about, ...measured }, undefined, 2)}\n`,
  )
  process.stdout.write(text)
  return criteria.every((one) => one.isMet)
}

/**
 * @param {{ start: any, results: any[] }} measured
 * @param {number[]} sizes
 * @returns {{ name: string, limit: string, worst: string, isMet: boolean }[]} What must hold, and whether it does.
 */
function judge({ start: starting, results: rows }, sizes) {
  const indexed = rows.filter((row) => row.indexed)
  const added = Math.max(...rows.filter((row) => row.isRead).map((row) => row.addedCpu))
  const growth = Math.max(
    ...indexed.map((row) => {
      const first = indexed.find(({ name, size }) => size === sizes[0] && name === row.name)
      return row.p50 / first.p50
    }),
  )
  const { memory, folder } = starting
  return [
    { name: 'CPU added to an indexed read', value: added, limit: MOST_ADDED_CPU_US, unit: ' µs' },
    {
      name: `growth of indexed operations, ${sizes[0]} to ${sizes.at(-1)}`,
      value: growth,
      limit: MOST_GROWTH,
      unit: ' ×',
    },
    { name: 'start, empty, in memory', value: memory.p50Ms, limit: MOST_START_MS, unit: ' ms' },
    { name: 'start, empty, of a folder', value: folder.p50Ms, limit: MOST_START_MS, unit: ' ms' },
  ].map(({ name, value, limit, unit }) => ({
    name,
    limit: `${limit}${unit}`,
    worst: `${value.toFixed(1)}${unit}`,
    isMet: value <= limit,
  }))
}

/** @param {number} bytes */
function mb(bytes) {
  return `${(bytes / 1024 / 1024).toFixed(0)} MB`
}

/** @param {number} value */
function us(value) {
  return String(Math.round(value))
}
