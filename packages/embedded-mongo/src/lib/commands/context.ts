import { type Timestamp } from 'bson'
import { CommandError } from '../errors/command-error.ts'
import { type Doc } from '../bson/document.ts'
import { type Transaction } from '../sessions/transactions.ts'
import { type View } from '../storage/view.ts'
import { type Reply } from '../wire/reply.ts'
import { type BatchItem, requireFields, toDocuments } from './requirements.ts'
import { type ServerState } from './server-state.ts'

// Maximum operations of one write, as reported by the handshake.
export const maxBatchItems = 100_000

export interface CommandContext {
  server: ServerState
  name: string
  body: Doc
  // Document sequences of the message by name, as raw BSON.
  sequences: Map<string, Buffer[]>
  database: string
  // Includes the pending writes of the command itself.
  view: View
  transaction: Transaction | undefined
  // The time of a snapshot read outside a transaction.
  readTime: Timestamp | undefined
  // The bytes of the session id.
  session: string | undefined
  now: Date
  // Throws once `maxTimeMS` has passed.
  checkTime: () => void
}

export interface Command {
  run(context: CommandContext): Doc | Reply | Promise<Reply>
  // Options besides those that every command accepts; without them it checks its own.
  options?: readonly string[]
  inTransaction?: boolean
  // Of the database admin only.
  adminOnly?: boolean
}

export function requireNamespace(context: CommandContext): string {
  return toNamespace(context.database, Object.values(context.body)[0])
}

export function toNamespace(database: string, collection: unknown): string {
  if (typeof collection !== 'string') {
    throw new CommandError(
      'InvalidNamespace',
      `collection name has invalid type ${typeof collection}`,
    )
  }
  const namespace = `${database}.${collection}`
  if (!/^[^\0 "$./\\]+$/.test(database) || database.length > 63) {
    throw new CommandError('InvalidNamespace', `Invalid database name: '${database}'`)
  }
  if (collection === '' || collection.startsWith('.') || /[\0$]/.test(collection)) {
    throw new CommandError('InvalidNamespace', `Invalid namespace specified '${namespace}'`)
  }
  return namespace
}

export function parseNamespace(value: unknown): string {
  const [database = '', ...rest] = String(value).split('.')
  return toNamespace(database, rest.join('.'))
}

// The documents of an argument that is a sequence of the message or a field of the body.
export function requireBatch(context: CommandContext, name: string): BatchItem[] {
  const items = readBatch(context, name)
  if (items.length > 0 && items.length <= maxBatchItems) return items
  throw new CommandError(
    'InvalidLength',
    `Write batch sizes must be between 1 and ${maxBatchItems}. Got ${items.length} operations.`,
  )
}

function readBatch({ sequences, body, name: command }: CommandContext, name: string): BatchItem[] {
  const sequence = sequences.get(name)
  if (sequence) return sequence.map((raw) => ({ raw }))
  requireFields(body, command, [name])
  return toDocuments(body[name], name).map((doc) => ({ doc }))
}
