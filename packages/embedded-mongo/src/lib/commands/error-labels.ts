import { type Doc } from '../bson/document.ts'
import { type ErrorName } from '../errors/command-error.ts'

// Codes of errors after which a driver may send a write again: the server or the network failed.
const retriable = new Set<ErrorName>([
  'HostUnreachable',
  'HostNotFound',
  'NetworkTimeout',
  'ShutdownInProgress',
  'ReadConcernMajorityNotAvailableYet',
  'PrimarySteppedDown',
  'ExceededTimeLimit',
  'SocketException',
  'NotWritablePrimary',
  'InterruptedAtShutdown',
  'InterruptedDueToReplStateChange',
  'NotPrimaryNoSecondaryOk',
  'NotPrimaryOrSecondary',
])

// In a transaction, besides the retriable ones: write conflicts and lost snapshots.
const transient = new Set<ErrorName>([
  'LockTimeout',
  'WriteConflict',
  'SnapshotUnavailable',
  'PreparedTransactionInProgress',
])

// Of a change stream's getMore, besides the retriable ones.
const resumable = new Set<ErrorName>([
  'StaleShardVersion',
  'FailedToSatisfyReadPreference',
  'StaleEpoch',
  'RetryChangeStream',
  'StaleConfig',
])

// The labels that state what a driver may send again after an error.
export function errorLabelsOf(body: Doc, name: ErrorName): string[] {
  const isEnd = body['commitTransaction'] !== undefined || body['abortTransaction'] !== undefined
  const isInTransaction = body['autocommit'] === false
  const isRetryable = isEnd || (body['txnNumber'] !== undefined && !isInTransaction)
  if (isRetryable && retriable.has(name)) return ['RetryableWriteError']
  if (!isInTransaction) return []
  const isTransient = transient.has(name) || name === 'NoSuchTransaction'
  return isTransient || (!isEnd && retriable.has(name)) ? ['TransientTransactionError'] : []
}

export function changeStreamLabelsOf(name: ErrorName): string[] {
  return retriable.has(name) || resumable.has(name) ? ['ResumableChangeStreamError'] : []
}
