// What idle connections and sessions hold in memory and on disk.
import { once } from 'node:events'
import { mkdtemp, readdir, rm, stat } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import jsonwebtoken from 'jsonwebtoken'
import mongoose from 'mongoose'
import { mintTokens, readMemory, startDatabase, startServers } from '../processes.js'
import { measureOnce } from '../rounds.js'
import { toRequest, workloads } from '../workloads.js'
import { describeSlope } from './law.js'

const record = workloads.find(({ id }) => id === 'W2')
const me = workloads.find(({ id }) => id === 'W5')
const batch = 100
// For the collector, and for a database that writes to disk behind its answers.
const settleMs = 1500
// So that the memory of a server under load has settled.
const warmUpMs = 4000

export const idleConnections = {
  id: 'idle',
  title: 'Idle connections, after one request each',
  figures: { memory: 'MB' },
  describe: describeSlope,
  async measure({ options: { names, node, rounds }, load }) {
    const own = names.filter((name) => name !== 'ours-no-cache')
    const samples = []
    for (let round = 0; round < rounds; round++) {
      await startServers(own, { node }, async (servers) => {
        for (const server of servers) {
          await measureOnce(load, server, { workload: record, ms: warmUpMs })
          samples.push(...(await openConnections(server)))
        }
      })
    }
    return samples
  },
}

async function openConnections({ name, port, pid }) {
  const sockets = []
  const samples = []
  for (const step of [0, 1000, 2000]) {
    while (sockets.length < step) {
      sockets.push(...(await Promise.all(Array.from({ length: batch }, () => useOnce(port)))))
    }
    await sleep(settleMs)
    samples.push({ step, name, memory: readMemory(pid) })
  }
  for (const socket of sockets) socket.destroy()
  return samples
}

async function useOnce(port) {
  const socket = connect({ port, host: '127.0.0.1' })
  socket.write(toRequest(record))
  await once(socket, 'data')
  return socket
}

export const sessions = {
  id: 'sessions',
  title: 'Sessions, each in use: strict checks, embedded database with a folder',
  figures: { memory: 'MB of the service', database: 'MB of the database', folder: 'MB on disk' },
  describe: describeSlope,
  async measure({ options: { node }, load }) {
    const folder = await mkdtemp(path.join(tmpdir(), 'create-api-growth-'))
    const database = await startDatabase(undefined, folder)
    try {
      const [first, ...tokens] = await mintTokens('ours-strict', 50_001, { sessions: true })
      await mongoose.connect(process.env.BENCHMARK_DATABASE)
      return await startServers(['ours-strict'], { node }, async ([server]) => {
        await measureOnce(load, server, { workload: me, token: first, ms: warmUpMs })
        const samples = []
        let used = 0
        for (const step of [0, 10_000, 50_000]) {
          const fresh = tokens.slice(used, step)
          used = step
          if (fresh.length > 0) await useSessions(server, fresh, load)
          await sleep(settleMs)
          const memory = [server.pid, database.pid].map(readMemory)
          const onDisk = await measureFolder(folder)
          samples.push({
            step,
            name: 'ours-strict',
            memory: memory[0],
            database: memory[1],
            folder: onDisk,
          })
        }
        return samples
      })
    } finally {
      await mongoose.disconnect()
      await database.stop()
      await rm(folder, { recursive: true })
    }
  },
}

// As many copies of a session as there are tokens, then a request with each.
async function useSessions(server, tokens, load) {
  const collection = mongoose.connection.db.collection('sessions')
  const session = await collection.findOne()
  const ids = tokens.map((token) => jsonwebtoken.decode(token).sid)
  await collection.insertMany(
    ids.map((id) => ({ ...session, _id: new mongoose.Types.ObjectId(id) })),
  )
  const task = { workload: me, token: tokens, ms: 1000, asksDatabase: true }
  let left = tokens.length
  while (left > 0) left -= (await measureOnce(load, server, task)).requests
}

async function measureFolder(folder) {
  const names = await readdir(folder, { recursive: true })
  const stats = await Promise.all(names.map((name) => stat(path.join(folder, name))))
  return stats.reduce((sum, { size }) => sum + size, 0) / 2 ** 20
}
