// @ts-check
// A worker whose clock differs: node faults-worker.js <queue> <url> <lease> <milliseconds>
import { setTimeout as sleep } from 'node:timers/promises'

const [name, url = '', lease = '', skew = ''] = process.argv.slice(2)
const { now } = Date
const offset = Number(skew)
Date.now = () => now() + offset
globalThis.Date = new Proxy(Date, {
  construct: (target, values, own) =>
    Reflect.construct(target, values.length > 0 ? values : [Date.now()], own),
})

/** @type {{ open: import('./queues/queue.d.ts').OpenQueue }} */
const { open } = await import(`./queues/${name}.js`)
const queue = await open({
  url,
  concurrency: 5,
  lease: Number(lease),
  async run(n, fenced) {
    process.send?.({ started: n })
    await sleep(20 + Math.random() * 80)
    await fenced(async () => {})
    process.send?.({ wrote: n })
  },
})
await queue.work()
process.send?.({ ready: true })
