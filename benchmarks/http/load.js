// The load generator, a process of its own: keep-alive connections that each send the next request
// when the answer to the last one is whole. It speaks only as much HTTP as it needs, so that it
// saturates later than the servers.
import { once } from 'node:events'
import { connect } from 'node:net'

const bucketsPerMs = 100
// Fewer than a server lets wait at its door.
const wave = 200

class Load {
  requests = 0
  errors = 0
  unexpected = 0
  running = false
  latencies = new Uint32Array(1000 * bucketsPerMs)

  clients = []
  next = 0

  constructor({ requests, statuses, warmMs, ms, awake }) {
    this.statuses = statuses
    this.messages = requests.map((request) => Buffer.from(request))
    this.warmMs = warmMs
    this.ms = ms
    this.awake = awake
  }

  async connect({ port, connections }) {
    while (this.clients.length < connections) {
      const length = Math.min(wave, connections - this.clients.length)
      const clients = Array.from({ length }, () => new Client(this, port))
      await Promise.all(clients.map(({ socket }) => once(socket, 'connect')))
      this.clients.push(...clients)
    }
  }

  /** The requests in turn, for all connections together. */
  takeMessage() {
    if (this.next === this.messages.length) this.next = 0
    return this.messages[this.next++]
  }

  /** A server that had nothing to do for a while takes its memory back first. */
  async warm() {
    await this.cycle(this.warmMs)
    this.requests = 0
    this.latencies.fill(0)
  }

  async run() {
    const start = performance.now()
    await this.cycle(this.ms)
    const ms = performance.now() - start
    const { requests, errors, unexpected } = this
    for (const client of this.clients) client.socket.destroy()
    return { requests, errors, unexpected, ms, p50: this.quantile(0.5), p99: this.quantile(0.99) }
  }

  /** Ends when the time is over and no connection waits for an answer any more. */
  cycle(ms) {
    this.running = true
    setTimeout(() => (this.running = false), ms)
    this.waiting = this.clients.length
    return new Promise((resolve) => {
      this.finish = resolve
      for (const client of this.clients) client.send()
      if (this.awake) this.stayAwake()
    })
  }

  /** Looks for answers without a pause, so that this processor never sleeps. */
  stayAwake() {
    if (this.waiting > 0) setImmediate(() => this.stayAwake())
  }

  rest() {
    if (--this.waiting === 0) this.finish()
  }

  count(client) {
    this.requests++
    const bucket = (performance.now() - client.sentAt) * bucketsPerMs
    this.latencies[Math.min(this.latencies.length - 1, Math.trunc(bucket))]++
  }

  quantile(share) {
    let left = this.requests * share
    return this.latencies.findIndex((count) => (left -= count) <= 0) / bucketsPerMs
  }
}

class Client {
  sentAt = 0
  /** Bytes of the answer still to come. */
  left = 0
  isWaiting = false

  constructor(load, port) {
    this.load = load
    this.socket = connect({ port, host: '127.0.0.1', noDelay: true })
    this.socket.on('data', (chunk) => this.receive(chunk))
    this.socket.on('error', () => {})
    this.socket.on('close', () => this.lose())
  }

  send() {
    this.isWaiting = true
    this.sentAt = performance.now()
    if (this.socket.destroyed) this.lose()
    else this.socket.write(this.load.takeMessage())
  }

  receive(chunk) {
    this.left = this.left > 0 ? this.left - chunk.length : this.readHead(chunk)
    if (this.left > 0) return
    if (this.left < 0) {
      this.socket.destroy()
      return
    }
    this.load.count(this)
    this.isWaiting = false
    if (this.load.running) this.send()
    else this.load.rest()
  }

  /** Looks at status and length; negative when the answer is not understood. */
  readHead(chunk) {
    const text = chunk.latin1Slice(0, Math.min(chunk.length, 4096))
    const end = text.indexOf('\r\n\r\n')
    const status = Number(text.slice(9, 12))
    // A 204 has none.
    const length = status === 204 ? ['', 0] : /\r\ncontent-length: (\d+)/i.exec(text)
    if (end === -1 || !length) return -1
    if (!this.load.statuses.includes(status)) this.load.unexpected++
    return end + 4 + Number(length[1]) - chunk.length
  }

  lose() {
    if (!this.isWaiting) return
    this.isWaiting = false
    this.load.errors++
    this.load.rest()
  }
}

let load

process.on('message', async (order) => {
  if (order.go) {
    process.send({ done: await load.run() })
    return
  }
  load = new Load(order)
  await load.connect(order)
  await load.warm()
  process.send({ ready: true })
})
// Whoever started this process is gone.
process.on('disconnect', () => process.exit())
