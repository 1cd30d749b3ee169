// Servers and load generator as processes, each on a processor of its own where there are two.
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

// The first two processors that this process may use.
const [serverCpu, loadCpu] = listProcessors()

export const canPin = loadCpu !== undefined && spawnSync('taskset', ['-V']).status === 0

function run(script, args, { node = process.execPath, cpu, env }) {
  const path = fileURLToPath(new URL(script, import.meta.url))
  const command = canPin && cpu !== undefined ? ['taskset', '-c', String(cpu), node] : [node]
  const child = spawn(command[0], [...command.slice(1), '--no-deprecation', path, ...args], {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    env: { ...process.env, NODE_ENV: 'production', ...env },
  })
  return child
}

async function answer(child) {
  const settled = new AbortController()
  const { signal } = settled
  const message = once(child, 'message', { signal })
  const exit = once(child, 'exit', { signal })
  // The loser is called off.
  for (const pending of [message, exit]) pending.catch(() => {})
  const [first] = await Promise.race([message, exit.then(() => [])])
  settled.abort()
  if (first === undefined) throw new Error(`${child.spawnargs.join(' ')} ended`)
  return first
}

/**
 * Starts a contender. Workers, several processes of a contender of ours, may use all processors.
 * @returns its port, pid and start-up time to the first answer, in milliseconds
 */
export async function startServer(name, { extra = 0, node, workers } = {}) {
  const start = performance.now()
  const place = workers === undefined ? { cpu: serverCpu } : { env: { WORKERS: String(workers) } }
  const child = run('serve.js', [name, String(extra)], { node, ...place })
  const { port } = await answer(child)
  await (await fetch(`http://127.0.0.1:${port}/`)).text()
  const startUpMs = performance.now() - start
  return {
    name,
    port,
    pid: child.pid,
    startUpMs,
    async startProfile() {
      child.send({ profile: 'start' })
      await answer(child)
    },
    async stopProfile() {
      child.send({ profile: 'stop' })
      return (await answer(child)).profile
    },
    stop: () => stop(child),
  }
}

/**
 * Starts contenders and stops them after their use.
 * @param names - the contenders
 * @param options - those of `startServer`
 * @param use - called with the servers
 * @returns what `use` returns
 */
export async function startServers(names, options, use) {
  const servers = []
  try {
    for (const name of names) servers.push(await startServer(name, options))
    return await use(servers)
  } finally {
    for (const server of servers) await server.stop()
  }
}

async function stop(child) {
  const gone = once(child, 'exit')
  child.kill('SIGKILL')
  await gone
}

/**
 * Starts the database; servers find it in the environment.
 * @param given - address of one that runs already
 * @param folder - where the embedded one keeps its data; by default in memory
 */
export async function startDatabase(given, folder) {
  if (given !== undefined) {
    process.env.BENCHMARK_DATABASE = given
    return { async stop() {} }
  }
  const child = run('database.js', folder === undefined ? [] : [folder], { cpu: loadCpu })
  const { uri } = await answer(child)
  process.env.BENCHMARK_DATABASE = uri
  return { pid: child.pid, stop: () => stop(child) }
}

/** Makes access tokens that a contender takes, of one session or, but the first, of one session each. */
export async function mintTokens(name, count = 1, { sessions = false } = {}) {
  const args = [name, String(count), ...(sessions ? ['sessions'] : [])]
  const { tokens } = await answer(run('mint.js', args, { cpu: loadCpu }))
  return tokens
}

/** Starts the load generator. */
export function startLoad() {
  const child = run('load.js', [], { cpu: loadCpu })
  return {
    /**
     * Runs a load and measures what it costs the server. To wake a processor that sleeps is the
     * business of whoever sends, and dear in a virtual machine: the load stays awake, unless the
     * database needs its processor.
     */
    async measure(
      server,
      { connections = 50, warmMs = 200, asksDatabase = false, databasePid, ...task },
    ) {
      const awake = canPin && !asksDatabase
      child.send({ port: server.port, connections, warmMs, awake, ...task })
      await answer(child)
      const pids = databasePid === undefined ? [server.pid] : [server.pid, databasePid]
      const before = pids.map(readCpu)
      child.send({ go: true })
      const { done } = await answer(child)
      const [cpuMicros, databaseMicros] = pids.map(
        (pid, index) => (readCpu(pid) - before[index]) / 1000 / done.requests,
      )
      return {
        ...done,
        cpuMicros,
        databaseMicros,
        perSecond: (done.requests / done.ms) * 1000,
      }
    },
    stop: () => stop(child),
  }
}

/** Nanoseconds on a processor, all threads of a process and of its children together. */
export function readCpu(pid) {
  const folder = `/proc/${pid}/task`
  return readdirSync(folder).reduce((sum, thread) => {
    const [own] = readNumbers(`${folder}/${thread}/schedstat`)
    return readNumbers(`${folder}/${thread}/children`).reduce(
      (total, child) => total + readCpu(child),
      sum + own,
    )
  }, 0)
}

function readNumbers(file) {
  return readFileSync(file, 'utf8').split(/\s/).filter(Boolean).map(Number)
}

/** Megabytes of resident memory. */
export function readMemory(pid) {
  const [, pages] = readFileSync(`/proc/${pid}/statm`, 'utf8').split(' ')
  return (Number(pages) * 4096) / 2 ** 20
}

function listProcessors() {
  const file = '/proc/self/status'
  const status = existsSync(file) ? readFileSync(file, 'utf8') : ''
  const [, ranges = ''] = /^Cpus_allowed_list:\s*(.*)$/m.exec(status) ?? []
  return ranges.split(',').flatMap((range) => {
    const [first = 0, last = first] = range.split('-').map(Number)
    return Array.from({ length: last - first + 1 }, (_, index) => first + index)
  })
}
