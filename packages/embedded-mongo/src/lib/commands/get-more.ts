import { Double, Long } from 'bson'
import { CommandError } from '../errors/command-error.ts'
import { type Reply } from '../wire/reply.ts'
import { type Command, type CommandContext } from './context.ts'
import { type Cursor } from './cursors.ts'
import { toCount } from './requirements.ts'

const DEFAULT_WAIT_MS = 1000

/** The next batch of a cursor. */
export const getMore: Command = {
  options: ['collection', 'batchSize', 'term', 'lastKnownCommittedOpTime'],
  inTransaction: true,
  run(context) {
    const namespace = `${context.database}.${String(context.body['collection'])}`
    const cursor = context.server.cursors.require(toCursorId(context.body['getMore']), namespace)
    if (cursor.source.transaction !== context.transaction) {
      throw new CommandError(50738, 'Cannot run getMore on a cursor of another transaction')
    }
    return cursor.source.wait ? nextChanges(context, cursor) : nextBatch(context, cursor)
  },
}

/** Ends cursors. */
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
  const end = Date.now() + Number(context.body['maxTimeMS'] ?? DEFAULT_WAIT_MS)
  for (;;) {
    // Killed while it waited: the answer is the error a later getMore would get.
    context.server.cursors.require(cursor.id, cursor.source.namespace)
    const reply = nextBatch(context, cursor)
    const rest = end - Date.now()
    if (reply.cursor?.documents.length !== 0 || reply.cursor.id === 0n || rest <= 0) {
      return { ...reply, fields: { ok: 1 } }
    }
    await cursor.source.wait?.(rest)
  }
}

function toCursorId(value: unknown): bigint {
  if (value instanceof Long) return value.toBigInt()
  // A driver that promotes longs sends them back as doubles.
  if (value instanceof Double) return BigInt(value.value)
  if (typeof value === 'number') return BigInt(value)
  throw new CommandError(14, "BSON field 'getMore.getMore' is the wrong type, expected 'long'")
}
