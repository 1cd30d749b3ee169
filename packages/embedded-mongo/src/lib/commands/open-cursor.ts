import { type Reply } from '../wire/reply.ts'
import { type CommandContext } from './context.ts'
import { type CursorSource } from './cursors.ts'
import { toCount, toDocument } from './requirements.ts'

/**
 * Answers through a cursor.
 *
 * @param context The command, with `cursor.batchSize` in its body.
 * @param source What the cursor gives.
 * @returns The first batch.
 */
export function openCursor(context: CommandContext, source: CursorSource): Reply {
  const { name, body, server, transaction } = context
  const { batchSize } = toDocument(body['cursor'], `${name}.cursor`)
  const options = { batchSize: toCount(batchSize, `${name}.cursor.batchSize`) }
  return { fields: {}, cursor: server.cursors.open({ ...source, transaction }, options) }
}
