// Measuring in turns: whoever disturbs the machine disturbs neighbours alike.
import { readMemory } from './processes.js'
import { toRequest, verify } from './workloads.js'

// Long enough for the compiler of a fresh process.
const warmUpMs = 1500

/**
 * The order of a measurement: A B C ... and back C B A ....
 * @param servers - the servers
 * @param rounds - how many times each is measured
 * @yields pairs of server and round
 */
export function* interleave(servers, rounds) {
  for (let round = 0; round < rounds; round++) {
    const order = round % 2 === 0 ? servers : servers.toReversed()
    for (const server of order) yield [server, round]
  }
}

/**
 * Loads one server with a workload, once.
 * @param load - the load generator
 * @param server - the server
 * @param task - workload, token, milliseconds (before them some that do not count), connections, and
 * whether requests ask the database
 * @returns the sample
 * @throws Error when an answer has another status or a connection breaks
 */
export async function measureOnce(load, server, { workload, token, ...times }) {
  const requests = toRequests(workload, token)
  const sample = await load.measure(server, { requests, statuses: workload.status, ...times })
  if (sample.errors + sample.unexpected > 0) {
    throw new Error(`${server.name}, ${workload.id}: ${JSON.stringify(sample)}`)
  }
  return sample
}

/**
 * Measures fresh servers in turn, after a warm-up of each.
 * @param load - the load generator
 * @param servers - the servers
 * @param options - how many rounds, and the task of a server
 * @returns the samples, with the name of the server and its resident memory in MB
 */
export async function measureInTurn(load, servers, { rounds, toTask }) {
  for (const server of servers) {
    await measureOnce(load, server, { ...toTask(server), ms: warmUpMs })
  }
  const samples = []
  for (const [server, round] of interleave(servers, rounds)) {
    const sample = await measureOnce(load, server, toTask(server))
    samples.push({ name: server.name, round, memory: readMemory(server.pid), ...sample })
  }
  return samples
}

// One for each token, or each path, where there are many.
function toRequests(workload, token) {
  const { path, paths = [path] } = workload
  return [token]
    .flat()
    .flatMap((one) => paths.map((own) => toRequest({ ...workload, path: own }, one)))
}

/**
 * Asks a server for every workload and looks at the answers.
 * @param server - the server
 * @param workloads - the workloads
 * @param options - token and contender
 * @throws Error when an answer is not the right one
 */
export async function verifyAll({ name, port }, workloads, { token, contender = {} }) {
  for (const workload of workloads) {
    const fault = await verify(workload, { port, token, contender })
    if (fault) throw new Error(`${name}, ${workload.id}: ${fault}`)
  }
}
