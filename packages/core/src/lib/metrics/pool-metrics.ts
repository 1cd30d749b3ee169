import { type Connection } from 'mongoose'
import { type Prometheus } from './prometheus.ts'

type Client = ReturnType<Connection['getClient']>

interface ConnectionEvent {
  readonly address: string
  readonly connectionId: number | '<monitor>'
}

export function createPoolMetrics({ client, registry }: Prometheus): (watched: Client) => void {
  const registers = [registry]
  const [open, inUse] = [new Set<string>(), new Set<string>()]
  let waiting = 0
  void new client.Gauge({
    name: 'mongodb_pool_connections',
    help: 'Connections to the database, by state.',
    labelNames: ['state'],
    registers,
    collect() {
      this.set({ state: 'in_use' }, inUse.size)
      this.set({ state: 'idle' }, open.size - inUse.size)
    },
  })
  void new client.Gauge({
    name: 'mongodb_pool_waiting',
    help: 'Operations waiting for a connection.',
    registers,
    collect() {
      this.set(waiting)
    },
  })
  const failures = new client.Counter({
    name: 'mongodb_pool_checkout_failures_total',
    help: 'Operations that failed to get a connection.',
    labelNames: ['reason'],
    registers,
  })

  return (watched) => {
    watched
      .on('connectionCreated', (event) => open.add(toKey(event)))
      .on('connectionCheckOutStarted', () => waiting++)
      .on('connectionCheckedOut', (event) => {
        waiting--
        // Connections created before the listeners were added first appear here.
        open.add(toKey(event))
        inUse.add(toKey(event))
      })
      .on('connectionCheckOutFailed', ({ reason }) => {
        waiting--
        failures.inc({ reason })
      })
      .on('connectionCheckedIn', (event) => inUse.delete(toKey(event)))
      .on('connectionClosed', (event) => {
        open.delete(toKey(event))
        inUse.delete(toKey(event))
      })
  }
}

function toKey({ address, connectionId }: ConnectionEvent): string {
  return `${address} ${connectionId}`
}
