import { type Doc } from '../bson/document.ts'

// Codes of errors after which a driver may send a write again: the server or the network failed.
const RETRIABLE = new Set([6, 7, 89, 91, 134, 189, 262, 9001, 10107, 11600, 11602, 13435, 13436])

// In a transaction, besides the retriable ones: write conflicts and lost snapshots.
const TRANSIENT = new Set([24, 112, 246, 267])
const NO_SUCH_TRANSACTION = 251

// Of a change stream's getMore, besides the retriable ones.
const RESUMABLE = new Set([63, 133, 150, 234, 13388])

// The labels that state what a driver may send again after an error.
export function errorLabelsOf(body: Doc, code: number): string[] {
  const isEnd = body['commitTransaction'] !== undefined || body['abortTransaction'] !== undefined
  const isInTransaction = body['autocommit'] === false
  const isRetryable = isEnd || (body['txnNumber'] !== undefined && !isInTransaction)
  if (isRetryable && RETRIABLE.has(code)) return ['RetryableWriteError']
  if (!isInTransaction) return []
  const isTransient = TRANSIENT.has(code) || code === NO_SUCH_TRANSACTION
  return isTransient || (!isEnd && RETRIABLE.has(code)) ? ['TransientTransactionError'] : []
}

export function changeStreamLabelsOf(code: number): string[] {
  return RETRIABLE.has(code) || RESUMABLE.has(code) ? ['ResumableChangeStreamError'] : []
}
