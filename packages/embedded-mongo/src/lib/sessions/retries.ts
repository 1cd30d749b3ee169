import { type Long } from 'bson'
import { assume } from '../bson/assume.ts'
import { decode } from '../bson/decode.ts'
import { type Doc } from '../bson/document.ts'
import { encode } from '../bson/encode.ts'
import { CommandError } from '../errors/command-error.ts'
import { retryKey, retryRange } from '../storage/keys.ts'
import { scan } from '../storage/scan.ts'
import { type Batch, type Reader, requireBytes, type Value } from '../storage/store.ts'

const KEPT_MS = 30 * 60 * 1000

/** A write that the driver may send again when it saw no reply. */
export interface RetryableWrite {
  session: string
  number: bigint
}

/**
 * The reply of this very write, when it was done before.
 *
 * @param reader The store; the record lies beside the data, so it outlives the process.
 * @param write Session and number.
 * @returns The reply's fields, `undefined` when the write is new.
 * @throws {CommandError} 225 when the session has gone on to a higher number.
 */
export function findRetriedReply(reader: Reader, write: RetryableWrite): Doc | undefined {
  const value = reader.get(retryKey(write.session))
  if (value === undefined) return undefined
  const record = parseRecord(value)
  if (record.number === write.number) return record.reply
  if (record.number < write.number) return undefined
  throw new CommandError(
    225,
    `Retryable write with txnNumber ${write.number} is prohibited: ${record.number} has already started on this session.`,
  )
}

/**
 * What to write in the batch of a retryable write, so that a repetition finds it.
 *
 * @param write Session and number.
 * @param reply The reply's fields.
 * @param now When it was done.
 * @returns The key and its value.
 */
export function retryPut(write: RetryableWrite, reply: Doc, now: Date): Batch['puts'][number] {
  const { session, number } = write
  return [retryKey(session), encode({ number, reply, at: now })]
}

/**
 * The keys of replies that nobody will ask for any more.
 *
 * @param reader The store.
 * @param now The current time in milliseconds.
 * @returns Their keys.
 */
export function overdueRetries(reader: Reader, now: number): string[] {
  return [...scan(reader, retryRange())]
    .filter(([, value]) => now - parseRecord(value).at.getTime() > KEPT_MS)
    .map(([key]) => key)
}

function parseRecord(value: Value): { number: bigint; reply: Doc; at: Date } {
  const { number, reply, at } = assume<StoredRecord>(decode(requireBytes(value)))
  return { number: number.toBigInt(), reply, at }
}

interface StoredRecord {
  number: Long
  reply: Doc
  at: Date
}
