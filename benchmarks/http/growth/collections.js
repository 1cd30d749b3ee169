// What a read costs the service and its database with more documents in the collection.
import { isDeepStrictEqual } from 'node:util'
import mongoose from 'mongoose'
import { PostModel } from '../contenders/records/model.js'
import { databaseName, toId, toPost } from '../contenders/records/posts.js'
import { startServers } from '../processes.js'
import { measureInTurn } from '../rounds.js'

const sizes = [1000, 100_000, 1_000_000]
const batch = 10_000
const posts = '/api/posts'
const pages = Array.from({ length: 20 }, (_, index) => index + 1)
const published = `${posts}?published=true&sort=-views`
const feed = `${posts}/feed?published=true`
const counted = 'page with total, one request at a time'

// How each contender is asked for the same. Every read has several paths, which requests take in turn.
const contenders = {
  'ours-on-request': {
    [counted]: () => pages.map((page) => `${published}&page=${page}&total=true`),
    'page without total': () => pages.map((page) => `${published}&page=${page}`),
    'page by cursor': (port) => followCursors(port),
  },
  'fastify-lean': {
    [counted]: () => pages.map((page) => `${feed}&page=${page}&total=true`),
    'page without total': () => pages.map((page) => `${feed}&page=${page}`),
    'page by cursor': (_port, size) =>
      pages.map((page) => `${feed}&before=${size - 40 * (page - 1)}`),
  },
}

export const collections = {
  id: 'collections',
  title: 'Documents of the collection; pages are of 20 documents, by an index',
  figures: { cpuMicros: 'µs of the service', databaseMicros: 'µs of the database' },
  async measure(context) {
    await mongoose.connect(process.env.BENCHMARK_DATABASE, { dbName: databaseName })
    await PostModel.init()
    const samples = []
    try {
      for (const [index, size] of sizes.entries()) {
        await fill(sizes[index - 1] ?? 0, size)
        samples.push(...(await measureSize(size, context)))
      }
      await mongoose.connection.dropDatabase()
    } finally {
      await mongoose.disconnect()
    }
    return samples
  },
}

async function fill(from, to) {
  const now = new Date()
  for (let start = from; start < to; start += batch) {
    const length = Math.min(batch, to - start)
    const documents = Array.from({ length }, (_, index) => ({
      ...toPost(start + index),
      _id: new mongoose.Types.ObjectId(toId(start + index)),
      createdAt: now,
      updatedAt: now,
      __v: 0,
    }))
    await PostModel.collection.insertMany(documents, { ordered: false })
  }
}

function measureSize(size, { options, load, database }) {
  const { node, rounds, ms } = options
  return startServers(Object.keys(contenders), { node }, async (servers) => {
    const samples = []
    for (const read of ['one record', ...Object.keys(contenders['fastify-lean'])]) {
      const workloads = {}
      for (const server of servers) workloads[server.name] = await toWorkload(server, read, size)
      await verifySame(servers, workloads)
      const toTask = ({ name }) => ({
        workload: workloads[name],
        ms,
        // Counting a million takes the database so long that requests behind it would time out.
        connections: read === counted ? 1 : 50,
        asksDatabase: true,
        databasePid: database.pid,
      })
      for (const { name, ...sample } of await measureInTurn(load, servers, { rounds, toTask }))
        samples.push({ step: size, name: `${read}, ${name}`, ...sample })
    }
    return samples
  })
}

// Bodies differ in what they say about the list, not in its documents.
async function verifySame(servers, workloads) {
  const answers = []
  for (const { name, port } of servers) {
    const response = await fetch(`http://127.0.0.1:${port}${workloads[name].paths[1]}`)
    const { data, meta } = await response.json()
    answers.push({ data, total: meta?.total })
  }
  if (!isDeepStrictEqual(...answers))
    throw new Error(`the answers differ: ${JSON.stringify(answers)}`)
}

async function toWorkload({ name, port }, read, size) {
  const ids = pages.map((page) => toId((page * size) / 20 - 1))
  const paths =
    read === 'one record'
      ? ids.map((id) => `${posts}/${id}`)
      : await contenders[name][read](port, size)
  return { id: read, paths, status: [200] }
}

async function followCursors(port) {
  const paths = []
  let cursor = ''
  while (paths.length < pages.length) {
    const path = `${published}&cursor=${encodeURIComponent(cursor)}`
    paths.push(path)
    const response = await fetch(`http://127.0.0.1:${port}${path}`)
    cursor = (await response.json()).meta.nextCursor
  }
  return paths
}
