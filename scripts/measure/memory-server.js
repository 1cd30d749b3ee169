// @ts-check
// Measures the start of 1, 4 and 16 databases for tests, their memory, and the size of the installed package.
// Usage: npm run build && node scripts/measure/memory-server.js
import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../..', import.meta.url))
const rounds = 5

const code = `
const start = performance.now()
const { MongoMemoryServer } = require('@create-api/embedded-mongo')
const { MongoClient } = require('mongodb')
const loaded = performance.now()
const rss = process.memoryUsage().rss
;(async () => {
  const servers = []
  for (let i = 0; i < Number(process.argv[1]); i += 1) servers.push(await MongoMemoryServer.create())
  const ready = performance.now()
  console.log(JSON.stringify({
    load: loaded - start,
    start: ready - loaded,
    memory: (process.memoryUsage().rss - rss) / 1e6,
  }))
  await Promise.all(servers.map((server) => server.stop()))
})()
`

for (const count of [1, 4, 16]) {
  const results = Array.from({ length: rounds }, () =>
    JSON.parse(
      execFileSync(process.execPath, ['-e', code, String(count)], { encoding: 'utf8', cwd: root }),
    ),
  )
  const [load, start, memory] = ['load', 'start', 'memory'].map((key) =>
    median(results.map((result) => result[key])),
  )
  console.log(`${count} databases: require ${load} ms, start ${start} ms, memory ${memory} MB`)
}

const own = path.join(root, 'packages/embedded-mongo')
const { dependencies } = JSON.parse(readFileSync(path.join(own, 'package.json'), 'utf8'))
const folders = [
  path.join(own, 'dist'),
  path.join(own, 'src'),
  ...Object.keys(dependencies).map((name) => path.join(root, 'node_modules', name)),
]
const megabytes = folders.map(sizeOf).reduce((sum, size) => sum + size, 0) / 1e6
console.log(`installed with its dependencies: ${megabytes.toFixed(1)} MB`)

/** @param {number[]} values */
function median(values) {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]?.toFixed(1)
}

/**
 * @param {string} folder
 * @returns {number} bytes of its files
 */
function sizeOf(folder) {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, entry) => sum + statSync(path.join(entry.parentPath, entry.name)).size, 0)
}
