import { type Long } from 'bson'
import { decode, encode } from '../bson/codec.ts'
import { type Doc } from '../bson/document.ts'
import { CommandError } from '../errors/command-error.ts'
import { toSessionId, toTransactionNumber } from './session-id.ts'
import { retryKey, retryRange } from '../storage/keys.ts'
import { type Batch, type Reader, requireBytes, scan, type Value } from '../storage/store.ts'

const retentionMs = 30 * 60 * 1000

// A write that the driver may send again when it received no reply.
export interface RetryableWrite {
  session: string
  number: bigint
}

export function toRetryableWrite(body: Doc): RetryableWrite | undefined {
  const session = toSessionId(body['lsid'])
  if (session === undefined || body['txnNumber'] === undefined) return undefined
  return { session, number: toTransactionNumber(body['txnNumber']) }
}

export function findRetriedReply(reader: Reader, write: RetryableWrite): Doc | undefined {
  const value = reader.get(retryKey(write.session))
  if (value === undefined) return undefined
  const record = parseRecord(value)
  if (record.number === write.number) return record.reply
  if (record.number < write.number) return undefined
  throw new CommandError(
    'TransactionTooOld',
    `Retryable write with txnNumber ${write.number} is prohibited: ${record.number} has already started on this session.`,
  )
}

// Stored in the batch of the write itself, so that a retry finds the reply.
export function retryPut(write: RetryableWrite, reply: Doc, now: Date): Batch['puts'][number] {
  const { session, number } = write
  return [retryKey(session), encode({ number, reply, at: now })]
}

export function overdueRetries(reader: Reader, now: number): string[] {
  return [...scan(reader, retryRange())]
    .filter(([, value]) => now - parseRecord(value).at.getTime() > retentionMs)
    .map(([key]) => key)
}

function parseRecord(value: Value): { number: bigint; reply: Doc; at: Date } {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- written by retryPut
  const { number, reply, at } = decode(requireBytes(value)) as unknown as StoredRecord
  return { number: number.toBigInt(), reply, at }
}

interface StoredRecord {
  number: Long
  reply: Doc
  at: Date
}
