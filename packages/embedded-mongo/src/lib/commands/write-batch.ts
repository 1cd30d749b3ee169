import { encode } from '../bson/codec.ts'
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
  const shorten = createShortener()
  const ordered = context.body['ordered'] !== false
  for (const [index, item] of items.entries()) {
    context.checkTime()
    try {
      write(item, index)
    } catch (error) {
      writeErrors.push(shorten({ index, ...toWriteError(error) }))
      if (context.transaction) context.server.transactions.end(context.transaction, 'aborted')
      if (ordered || context.transaction) break
    }
  }
  return writeErrors.length > 0 ? { writeErrors } : {}
}

// MongoDB leaves out the messages after the first megabyte, so that the reply has room for every error.
const maxMessageBytes = 1024 * 1024
const maxErrorBytes = 8 * 1024 * 1024

function createShortener(): (error: Doc) => Doc {
  let bytes = 0
  return (error) => {
    const { index, code } = error
    const short = bytes < maxMessageBytes ? error : { ...error, errmsg: '' }
    const shown = bytes < maxErrorBytes ? short : { index, code, errmsg: '' }
    bytes += encode(shown).length
    return shown
  }
}

function toWriteError(error: unknown): Doc {
  if (!(error instanceof CommandError) || error.labels || error.codeName === 'MaxTimeMSExpired')
    throw error
  return { code: error.code, errmsg: error.message, ...error.details }
}
