// Measuring in turns: whoever disturbs the machine disturbs neighbours alike.
import { toRequest, verify } from './workloads.js'

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
