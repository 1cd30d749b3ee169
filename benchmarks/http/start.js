// Start of a service with a database, ours and by hand in turn: node http/start.js [--node <path>] [--rounds <number>]
// From the start of the process to its first response, the CPU time until then, and resident memory.
import { parseArgs } from 'node:util'
import { readCpu, readMemory, startDatabase, startServer } from './processes.js'

const { values } = parseArgs({
  options: {
    node: { type: 'string', default: process.execPath },
    rounds: { type: 'string', default: '21' },
  },
})
const names = ['express-lean', 'ours-records', 'ours-guarded']
const samples = Object.fromEntries(names.map((name) => [name, []]))

const database = await startDatabase(process.env.MONGODB_URI)
try {
  // The first round fills the caches of the file system.
  for (let round = 0; round <= Number(values.rounds); round++) {
    for (const name of names) {
      const server = await startServer(name, { node: values.node })
      const sample = [server.startUpMs, readCpu(server.pid) / 1e6, readMemory(server.pid)]
      await server.stop()
      if (round > 0) samples[name].push(sample)
    }
  }
} finally {
  await database.stop()
}

const [floor] = names.map(toMedians)
console.log('                first response             CPU time               memory')
for (const name of names) {
  const columns = toMedians(name).map(
    (value, index) =>
      `${value.toFixed(0).padStart(6)} ${['ms', 'ms', 'MB'][index]} ${(value / floor[index]).toFixed(2)} x`,
  )
  console.log(`${name.padEnd(16)}${columns.join('      ')}`)
}

function toMedians(name) {
  return [0, 1, 2].map((index) => {
    const sorted = samples[name].map((sample) => sample[index]).toSorted((a, b) => a - b)
    return sorted[Math.floor(sorted.length / 2)]
  })
}
