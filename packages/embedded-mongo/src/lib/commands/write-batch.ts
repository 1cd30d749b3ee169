import { type Doc } from '../bson/document.ts'
import { CommandError } from '../errors/command-error.ts'
import { type CommandContext } from './context.ts'

/**
 * Runs the parts of a batch; `ordered` stops at the first error and keeps what came before.
 *
 * @param context The command.
 * @param items The parts.
 * @param write Writes one part whole, or throws and writes nothing of it.
 * @returns `{ writeErrors }`, or nothing when all went well.
 * @throws {CommandError} What ends the whole command: a lost transaction, the time being over.
 */
export function runBatch<T>(
  context: CommandContext,
  items: readonly T[],
  write: (item: T, index: number) => void,
): Doc {
  const writeErrors: Doc[] = []
  const ordered = context.body['ordered'] !== false
  for (const [index, item] of items.entries()) {
    context.checkTime()
    try {
      write(item, index)
    } catch (error) {
      writeErrors.push({ index, ...toWriteError(error) })
      if (context.transaction) context.server.transactions.end(context.transaction, 'aborted')
      if (ordered || context.transaction) break
    }
  }
  return writeErrors.length > 0 ? { writeErrors } : {}
}

/**
 * An error as part of a reply.
 *
 * @param error What a part of a batch threw.
 * @returns Code, message and the error's own fields.
 * @throws The error itself, when it ends the whole command.
 */
export function toWriteError(error: unknown): Doc {
  if (!(error instanceof CommandError) || error.labels || error.code === 50) throw error
  return { code: error.code, errmsg: error.message, ...error.details }
}
