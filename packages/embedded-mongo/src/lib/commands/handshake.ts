import { Long, ObjectId } from 'bson'
import { type Doc } from '../bson/document.ts'
import { toSessionId } from '../sessions/session-id.ts'
import { retryKey } from '../storage/keys.ts'
import { type Command, type CommandContext, maxBatchItems } from './context.ts'
import { maxDocumentBytes } from './requirements.ts'

// The version of MongoDB whose behavior is implemented.
export const version = '8.0.0'

const electionId = new ObjectId('7fffffff0000000000000001')

export const hello: Command = {
  options: [
    'helloOk',
    'client',
    'compression',
    'backpressure',
    'hostInfo',
    'saslSupportedMechs',
    'speculativeAuthenticate',
    'topologyVersion',
    'maxAwaitTimeMS',
    'loadBalanced',
  ],
  run: (context) => describeMember(context),
}

// The old name of the handshake, with its old field.
export const isMaster: Command = {
  options: hello.options,
  run: (context) => ({ ismaster: context.server.isPrimary, ...describeMember(context) }),
}

export const ping: Command = { options: [], run: () => ({}) }

// `modules` identifies the embedded server.
export const buildInfo: Command = {
  options: [],
  run: () => ({
    version: version,
    gitVersion: 'embedded',
    modules: ['embedded'],
    sysInfo: 'Node.js',
    versionArray: [8, 0, 0, 0],
    bits: 64,
    debug: false,
    maxBsonObjectSize: maxDocumentBytes,
  }),
}

export const endSessions: Command = {
  options: [],
  run({ server, body, view }) {
    for (const lsid of Array.isArray(body['endSessions']) ? body['endSessions'] : []) {
      const session = toSessionId(lsid)
      if (session === undefined) continue
      server.transactions.forget(session)
      if (server.store.get(retryKey(session)) !== undefined) view.delete(retryKey(session))
    }
    return {}
  },
}

export function describeMember({ server, now }: CommandContext): Doc {
  const { clock, isPrimary } = server
  const { name, primary, secondary } = server.members
  return {
    helloOk: true,
    isWritablePrimary: isPrimary,
    setName: name,
    setVersion: 1,
    secondary: !isPrimary,
    hosts: [primary, secondary],
    primary,
    me: isPrimary ? primary : secondary,
    ...(isPrimary ? { electionId: electionId } : {}),
    lastWrite: {
      opTime: { ts: clock.now(), t: Long.ONE },
      lastWriteDate: now,
      majorityOpTime: { ts: clock.now(), t: Long.ONE },
      majorityWriteDate: now,
    },
    maxBsonObjectSize: maxDocumentBytes,
    maxMessageSizeBytes: 48_000_000,
    maxWriteBatchSize: maxBatchItems,
    localTime: now,
    logicalSessionTimeoutMinutes: 30,
    connectionId: 1,
    minWireVersion: 0,
    maxWireVersion: 25,
    readOnly: false,
  }
}
