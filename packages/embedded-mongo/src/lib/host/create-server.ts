import { createServer, type Server, type Socket } from 'node:net'
import { Cursors } from '../commands/cursors.ts'
import { runCommand, toErrorReply } from '../commands/run-command.ts'
import { Operations } from '../commands/operations.ts'
import { createIds, type ServerState } from '../commands/server-state.ts'
import { Usage } from '../commands/usage.ts'
import { startMaintenance } from '../commands/maintenance.ts'
import { ChangeLog } from '../change-streams/change-log.ts'
import { createClusterClock } from '../sessions/cluster-clock.ts'
import { createSnapshots } from '../sessions/snapshots.ts'
import { createTransactions } from '../sessions/transactions.ts'
import { type Listen, secondaryOf } from './address.ts'
import { type OnMessage } from './options.ts'
import { type Store } from '../storage/store.ts'
import { serveConnection } from '../wire/connection.ts'
import { type Message } from '../wire/message.ts'
import { encodeReply, type Reply } from '../wire/reply.ts'

export interface RunningServer {
  port: number | undefined
  // Closes all connections and stops listening; the store stays open.
  close(): Promise<void>
}

interface ServerOptions {
  store: Store
  listen: Listen
  latencyMs: number
  ttlIntervalMs: number
  replicaSet: string
  isPersistent: boolean
  onMessage: OnMessage
}

export async function startServer(options: ServerOptions): Promise<RunningServer> {
  const state = createState(options)
  // The secondary first: the primary reports the addresses of both.
  const second = { ...state, isPrimary: false }
  const secondary = await listenFor(second, secondaryOf(options.listen), options)
  const primary = await listenFor(state, options.listen, options).catch(async (error: unknown) => {
    await secondary.close()
    throw error
  })
  Object.assign(state.members, { primary: primary.address, secondary: secondary.address })
  const stopMaintenance = startMaintenance(state, (message) =>
    options.onMessage(message, 'warning'),
  )
  return {
    port: primary.port,
    async close() {
      stopMaintenance()
      await Promise.all([primary.close(), secondary.close()])
    },
  }
}

interface Listener {
  port: number | undefined
  address: string
  close(): Promise<void>
}

async function listenFor(
  state: ServerState,
  where: Listen,
  { latencyMs, onMessage }: ServerOptions,
): Promise<Listener> {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    // The client's own socket keeps its process alive, as with any server.
    socket.unref()
    sockets.add(socket)
    state.connections.current += 1
    state.connections.totalCreated += 1
    socket.once('close', () => {
      sockets.delete(socket)
      state.connections.current -= 1
    })
    serveConnection(socket, (message) => handleMessage(state, message, latencyMs))
  })
  await listen(server, where)
  // A connection that cannot be accepted (too many open files) must not crash the process.
  server.on('error', (error) => onMessage(`Embedded database: ${error.message}`, 'warning'))
  server.unref()
  const address = server.address()
  const port = typeof address === 'object' && address ? address.port : undefined
  return {
    port,
    address: 'path' in where ? where.path : `${where.host}:${port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        for (const socket of sockets) socket.destroy()
      }),
  }
}

function createState({
  store,
  isPersistent,
  replicaSet,
  ttlIntervalMs,
}: ServerOptions): ServerState {
  const cursors = new Cursors()
  const parameters = {
    ttlMonitorSleepSecs: ttlIntervalMs / 1000,
    ttlMonitorEnabled: true,
    transactionLifetimeLimitSeconds: 60,
    changed: () => {},
  }
  return {
    store,
    clock: createClusterClock(),
    cursors,
    transactions: createTransactions(store, {
      lifetimeMs: () => parameters.transactionLifetimeLimitSeconds * 1000,
      onEnd: (transaction) => cursors.killOf(transaction),
    }),
    snapshots: createSnapshots(store),
    ids: createIds(store),
    members: { name: replicaSet, primary: '', secondary: '' },
    isPrimary: true,
    startedAt: new Date(),
    streams: new ChangeLog(),
    parameters,
    failPoints: new Map(),
    operations: new Operations(),
    usage: new Usage(),
    connections: { current: 0, totalCreated: 0 },
    isPersistent,
  }
}

function listen(server: Server, where: Listen): Promise<void> {
  return new Promise((resolve, reject) => {
    const onError = (error: Error): void => reject(toListenError(error, where))
    server.once('error', onError)
    server.listen(where, () => {
      server.removeListener('error', onError)
      resolve()
    })
  })
}

function toListenError(cause: Error, where: Listen): Error {
  if ('path' in where) return cause
  return new Error(
    `The embedded database cannot listen on port ${where.port}: ${cause.message}. Use another port, or 0 for a free one.`,
    { cause },
  )
}

function handleMessage(
  state: ServerState,
  message: Message,
  latencyMs: number,
): Promise<Buffer | undefined> | Buffer | undefined {
  const write = (reply: Reply): Buffer => encodeReply(message, reply, state.clock.replyElements())
  const encode = (reply: Reply): Buffer | undefined => {
    if (message.moreToCome) return undefined
    try {
      return write(reply)
    } catch (error) {
      // The reply is larger than a client can read.
      return write(toErrorReply(error))
    }
  }
  const reply = runCommand(state, message)
  if (latencyMs > 0) return delay(latencyMs, reply).then(encode)
  return reply instanceof Promise ? reply.then(encode) : encode(reply)
}

async function delay(ms: number, reply: Reply | Promise<Reply>): Promise<Reply> {
  await new Promise((resolve) => {
    setTimeout(resolve, ms)
  })
  return reply
}
