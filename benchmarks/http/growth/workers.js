// What a request costs, and how many there are in a second, with more worker processes.
import { startServers } from '../processes.js'
import { measureInTurn } from '../rounds.js'
import { workloads } from '../workloads.js'

const record = workloads.find(({ id }) => id === 'W2')

export const workers = {
  id: 'workers',
  title: 'Workers, not pinned, beside the load generator: one record',
  figures: { cpuMicros: 'µs of all processes', perSecond: 'requests per second' },
  async measure({ options: { node, rounds, ms }, load }) {
    const samples = []
    // The load leaves its processor to them while it waits.
    const toTask = () => ({ workload: record, ms, asksDatabase: true })
    for (const step of [1, 2, 3, 4]) {
      const found = await startServers(['ours'], { node, workers: step }, (servers) =>
        measureInTurn(load, servers, { rounds, toTask }),
      )
      samples.push(...found.map((sample) => ({ step, ...sample })))
    }
    return samples
  },
}
