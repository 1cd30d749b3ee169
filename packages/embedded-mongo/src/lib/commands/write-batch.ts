import { type Doc } from '../bson/document.ts'
import { CommandError } from '../errors/command-error.ts'
import { type CommandContext } from './context.ts'

// `ordered` stops at the first error and keeps what was done. Errors that end the whole command (a
// lost transaction, a timeout) are thrown.
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

function toWriteError(error: unknown): Doc {
  if (!(error instanceof CommandError) || error.labels || error.codeName === 'MaxTimeMSExpired')
    throw error
  return { code: error.code, errmsg: error.message, ...error.details }
}
