import { CommandError } from '../errors/command-error.ts'
import { type Doc } from '../bson/document.ts'
import { type Transaction } from '../sessions/transactions.ts'
import { type View } from '../storage/view.ts'
import { type Reply } from '../wire/reply.ts'
import { type BatchItem } from './batch-item.ts'
import { requireFields, toDocuments } from './requirements.ts'
import { type ServerState } from './server-state.ts'

/** The most parts of a write, as the handshake tells. */
export const MAX_BATCH_ITEMS = 100_000

/** What one command sees. */
export interface CommandContext {
  server: ServerState
  /** The command's name, as the table of commands writes it. */
  name: string
  body: Doc
  /** Document sequences by name, as raw BSON. */
  sequences: Map<string, Buffer[]>
  database: string
  /** Reads through it see the command's own pending writes. */
  view: View
  transaction: Transaction | undefined
  /** Bytes of the session's id. */
  session: string | undefined
  now: Date
  /** Throws once `maxTimeMS` is over. */
  checkTime: () => void
}

/** A command of the table. */
export interface Command {
  run(context: CommandContext): Doc | Reply | Promise<Reply>
  /** Options it knows besides those that every command may carry. */
  options: readonly string[]
  /** May be part of a transaction. */
  inTransaction?: boolean
}

/**
 * The collection a command names.
 *
 * @param context The command.
 * @returns `database.collection`.
 * @throws {CommandError} 73 when the name is not one of a collection.
 */
export function requireNamespace(context: CommandContext): string {
  return toNamespace(context.database, Object.values(context.body)[0])
}

/**
 * Joins and checks the two parts of a namespace.
 *
 * @param database The database's name.
 * @param collection The collection's name.
 * @returns `database.collection`.
 * @throws {CommandError} 73 when one of them cannot be a name.
 */
export function toNamespace(database: string, collection: unknown): string {
  if (typeof collection !== 'string') {
    throw new CommandError(73, `collection name has invalid type ${typeof collection}`)
  }
  const namespace = `${database}.${collection}`
  if (!/^[^\0 "$./\\]+$/.test(database) || database.length > 63) {
    throw new CommandError(73, `Invalid database name: '${database}'`)
  }
  if (collection === '' || collection.startsWith('.') || /[\0$]/.test(collection)) {
    throw new CommandError(73, `Invalid namespace specified '${namespace}'`)
  }
  return namespace
}

/**
 * Takes a namespace apart and checks its parts.
 *
 * @param value What should be `database.collection`.
 * @returns The namespace.
 * @throws {CommandError} 73 when it is none.
 */
export function parseNamespace(value: unknown): string {
  const [database = '', ...rest] = String(value).split('.')
  return toNamespace(database, rest.join('.'))
}

/**
 * The documents of an argument that comes as a sequence of its own or inside the body.
 *
 * @param context The command.
 * @param name Name of the argument.
 * @returns Each document, with its bytes when it came as a sequence.
 * @throws {CommandError} 40414 when the argument is missing, 16 when it holds none or too many.
 */
export function requireBatch(context: CommandContext, name: string): BatchItem[] {
  const items = readBatch(context, name)
  if (items.length > 0 && items.length <= MAX_BATCH_ITEMS) return items
  throw new CommandError(
    16,
    `Write batch sizes must be between 1 and ${MAX_BATCH_ITEMS}. Got ${items.length} operations.`,
  )
}

function readBatch({ sequences, body, name: command }: CommandContext, name: string): BatchItem[] {
  const sequence = sequences.get(name)
  if (sequence) return sequence.map((raw) => ({ raw }))
  requireFields(body, command, [name])
  return toDocuments(body[name], name).map((doc) => ({ doc }))
}
