import { asDouble } from '../bson/arithmetic.ts'
import { Double, Long } from 'bson'
import { findCollection } from '../catalog/catalog.ts'
import { CommandError } from '../errors/command-error.ts'
import { type Reply } from '../wire/reply.ts'
import { type Command, type CommandContext } from './context.ts'
import { type Cursor, type CursorSource } from './cursors.ts'
import { toCount, toDocument } from './requirements.ts'

const defaultWaitMs = 1000

export const getMore: Command = {
  options: ['collection', 'batchSize', 'term', 'lastKnownCommittedOpTime'],
  inTransaction: true,
  run(context) {
    const namespace = `${context.database}.${String(context.body['collection'])}`
    const cursor = context.server.cursors.require(toCursorId(context.body['getMore']), namespace)
    if (cursor.source.transaction !== context.transaction) {
      throw new CommandError(
        'Location50738',
        'Cannot run getMore on a cursor of another transaction',
      )
    }
    requireSession(cursor, context.session)
    requireCollection(context, cursor)
    if (!cursor.source.wait && context.body['maxTimeMS'] !== undefined) {
      throw new CommandError(
        'BadValue',
        'cannot set maxTimeMS on getMore command for a non-awaitData cursor',
      )
    }
    return cursor.source.wait ? nextChanges(context, cursor) : nextBatch(context, cursor)
  },
}

function requireSession({ id, source }: Cursor, session: string | undefined): void {
  if (source.session === session) return
  const what = `Cannot run getMore on cursor ${id}, which was`
  if (source.session === undefined) {
    throw new CommandError('Location50736', `${what} not created in a session, in a session`)
  }
  if (session === undefined) {
    throw new CommandError('Location50737', `${what} created in a session, without an lsid`)
  }
  throw new CommandError('Location50738', `${what} created in another session`)
}

function requireCollection({ view, server }: CommandContext, { id, source }: Cursor): void {
  if (source.collection === undefined) return
  if (findCollection(view, source.namespace)?.id === source.collection) return
  server.cursors.kill(id)
  throw new CommandError('QueryPlanKilled', `collection dropped or renamed: ${source.namespace}`)
}

export const killCursors: Command = {
  options: ['cursors'],
  inTransaction: true,
  run({ server, body }) {
    const ids = Array.isArray(body['cursors']) ? body['cursors'] : []
    const cursorsKilled: Long[] = []
    const cursorsNotFound: Long[] = []
    for (const id of ids.map((value) => toCursorId(value))) {
      const list = server.cursors.kill(id) ? cursorsKilled : cursorsNotFound
      list.push(Long.fromBigInt(id))
    }
    return { cursorsKilled, cursorsNotFound, cursorsAlive: [], cursorsUnknown: [] }
  },
}

function nextBatch({ server, body }: CommandContext, cursor: Cursor): Reply {
  const batchSize = toCount(body['batchSize'], 'getMore.batchSize')
  return { fields: {}, cursor: server.cursors.next(cursor, batchSize || Infinity) }
}

async function nextChanges(context: CommandContext, cursor: Cursor): Promise<Reply> {
  const end = Date.now() + Number(context.body['maxTimeMS'] ?? defaultWaitMs)
  for (;;) {
    // Killed while it was waiting: return the error a later getMore would get.
    context.server.cursors.require(cursor.id, cursor.source.namespace)
    const reply = nextBatch(context, cursor)
    const rest = end - Date.now()
    if (reply.cursor?.documents.length !== 0 || reply.cursor.id === 0n || rest <= 0) {
      return { ...reply, fields: { ok: asDouble(1) } }
    }
    await cursor.source.wait?.(rest)
  }
}

function toCursorId(value: unknown): bigint {
  if (value instanceof Long) return value.toBigInt()
  // A driver that promotes longs sends them back as doubles.
  if (value instanceof Double) return BigInt(value.value)
  if (typeof value === 'number') return BigInt(value)
  throw new CommandError(
    'TypeMismatch',
    "BSON field 'getMore.getMore' is the wrong type, expected 'long'",
  )
}

export function openCursor(context: CommandContext, source: CursorSource): Reply {
  const { name, body, server, transaction, session } = context
  const { batchSize } = toDocument(body['cursor'], `${name}.cursor`)
  const options = { batchSize: toCount(batchSize, `${name}.cursor.batchSize`) }
  return { fields: {}, cursor: server.cursors.open({ ...source, transaction, session }, options) }
}
