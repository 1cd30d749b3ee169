import { Double, Long, Timestamp } from 'bson'
import { decode } from '../bson/codec.ts'
import { type Doc } from '../bson/document.ts'
import { CommandError } from '../errors/command-error.ts'
import { commitView } from '../sessions/commit.ts'
import { findRetriedReply, retryPut, toRetryableWrite } from '../sessions/retries.ts'
import { toSessionId, toTransactionNumber } from '../sessions/session-id.ts'
import { type Transaction } from '../sessions/transactions.ts'
import { View } from '../storage/view.ts'
import { type Message } from '../wire/message.ts'
import { type Reply } from '../wire/reply.ts'
import { checkOptions, type NamedCommand, requireCommand } from './command-table.ts'
import { type CommandContext } from './context.ts'
import { DroppedConnection, runWithFailure, takeFailure } from './failure.ts'
import { toDocument } from './requirements.ts'
import { parseWriteConcern, type WriteConcern } from './write-concern.ts'
import { type ServerState } from './server-state.ts'

const largestTimeMs = 2_147_483_647
// MongoDB sends doubles.
const ok = new Double(1)
const failed = new Double(0)

// Runs one command atomically: nothing else runs between its first read and its commit.
export function runCommand(server: ServerState, message: Message): Reply | Promise<Reply> {
  const start = performance.now()
  const count = (): void => server.usage.countCommand(message, performance.now() - start)
  const reply = toReplyOrError(server, message)
  if (reply instanceof Promise) return server.operations.wait(message.body, reply).finally(count)
  count()
  return reply
}

function toReplyOrError(server: ServerState, message: Message): Reply | Promise<Reply> {
  try {
    const run = (): Reply | Promise<Reply> => execute(server, message, Date.now())
    const failure = takeFailure(server, message.body)
    const reply = failure ? runWithFailure(failure, message.body, run) : run()
    return reply instanceof Promise ? reply.catch(toErrorReply) : reply
  } catch (error) {
    return toErrorReply(error)
  }
}

function execute(server: ServerState, message: Message, startedAt: number): Reply | Promise<Reply> {
  if (message.unreadable) throw message.unreadable
  const command = requireCommand(message.body)
  checkOptions(command, message)
  const concern = parseWriteConcern(message.body['writeConcern'])
  const session = toSessionId(message.body['lsid'])
  const transaction = enterTransaction(server, { command, body: message.body, session })
  const retry = transaction ? undefined : toRetryableWrite(message.body)
  const known = retry && findRetriedReply(server.store, retry)
  if (known) return { fields: known }
  const context = createContext(server, message, {
    name: command.name,
    session,
    transaction,
    startedAt,
  })
  try {
    const result = command.run(context)
    if (result instanceof Promise) return result
    const reply = withReadTime(toReply(result), context.readTime)
    if (!transaction) {
      const blocker = server.transactions.blockerOf(context.view)
      if (blocker) return runAfter(server, message, { blocker, startedAt })
      commit(server, context, retry && retryPut(retry, toStoredReply(reply), context.now))
    }
    return acknowledge(server, reply, concern)
  } catch (error) {
    if (transaction?.state === 'open') server.transactions.end(transaction, 'aborted')
    throw error
  }
}

// Nothing has been written yet, so the command can be run again once the transaction has ended.
async function runAfter(
  server: ServerState,
  message: Message,
  { blocker, startedAt }: { blocker: Transaction; startedAt: number },
): Promise<Reply> {
  const maxTimeMs = toMaxTime(message.body['maxTimeMS'])
  const restMs = maxTimeMs > 0 ? startedAt + maxTimeMs - Date.now() : Infinity
  if (restMs <= 0) throw timeExceeded()
  await server.transactions.waitFor(blocker, restMs)
  return execute(server, message, startedAt)
}

function enterTransaction(
  server: ServerState,
  request: { command: NamedCommand; body: Doc; session: string | undefined },
): Transaction | undefined {
  const { command, body, session } = request
  checkTransactionFields(body, session)
  if (body['autocommit'] === undefined || session === undefined) return undefined
  const number = toTransactionNumber(body['txnNumber'])
  if (!command.inTransaction) {
    throw new CommandError(
      'OperationNotSupportedInTransaction',
      `Cannot run '${command.name}' in a multi-document transaction.`,
    )
  }
  rejectConcerns(command, body)
  if (body['startTransaction'] === true) return server.transactions.start(session, number)
  const transaction = server.transactions.require(session, number)
  if (transaction.state === 'committed' && command.name !== 'commitTransaction') {
    throw new CommandError('TransactionCommitted', `Transaction ${number} has been committed.`)
  }
  return transaction
}

function checkTransactionFields(body: Doc, session: string | undefined): void {
  const { txnNumber, autocommit, startTransaction } = body
  const fault =
    txnNumber !== undefined && session === undefined
      ? 'Transaction number requires a session ID to also be specified'
      : autocommit !== undefined && txnNumber === undefined
        ? "'autocommit' field requires a transaction number to also be specified"
        : startTransaction !== undefined && autocommit === undefined
          ? "'startTransaction' field requires 'autocommit' field to also be specified"
          : autocommit !== undefined && autocommit !== false
            ? 'Specifying autocommit=true is not allowed.'
            : undefined
  if (fault !== undefined) throw new CommandError('InvalidOptions', fault)
}

function rejectConcerns({ name }: NamedCommand, body: Doc): void {
  const isEnd = name === 'commitTransaction' || name === 'abortTransaction'
  if (!isEnd && body['writeConcern'] !== undefined) {
    throw new CommandError(
      'InvalidOptions',
      'writeConcern is not allowed within a multi-statement transaction',
    )
  }
  if (body['startTransaction'] !== true && body['readConcern'] !== undefined) {
    throw new CommandError(
      'InvalidOptions',
      'Only the first command in a transaction may specify a readConcern',
    )
  }
}

function createContext(
  server: ServerState,
  { body, sequences }: Message,
  known: Pick<CommandContext, 'name' | 'session' | 'transaction'> & { startedAt: number },
): CommandContext {
  const { name, session, transaction, startedAt } = known
  const readTime = transaction ? undefined : toReadTime(server, body)
  return {
    name,
    readTime,
    session,
    transaction,
    server,
    body,
    sequences,
    database: typeof body['$db'] === 'string' ? body['$db'] : 'test',
    view: transaction?.view ?? new View(readTime ? server.snapshots.at(readTime) : server.store),
    now: new Date(),
    checkTime: createTimeCheck(toMaxTime(body['maxTimeMS']), startedAt),
  }
}

// The first snapshot read of a session sets the time, which the driver sends with the following ones.
function toReadTime({ snapshots, clock }: ServerState, body: Doc): Timestamp | undefined {
  const { level, atClusterTime } = toDocument(body['readConcern'], 'readConcern')
  if (level !== 'snapshot') return undefined
  if (atClusterTime instanceof Timestamp) return atClusterTime
  const now = clock.now()
  snapshots.take(now)
  return now
}

function withReadTime(reply: Reply, atClusterTime: Timestamp | undefined): Reply {
  if (!atClusterTime) return reply
  const { fields, cursor } = reply
  if (!cursor) return { fields: { ...fields, atClusterTime } }
  return { fields, cursor: { ...cursor, fields: { ...cursor.fields, atClusterTime } } }
}

function toMaxTime(value: unknown): number {
  const time = Number(value ?? 0)
  if (time >= 0 && time <= largestTimeMs) return time
  throw new CommandError(
    'BadValue',
    `${String(value)} value for maxTimeMS is out of range [0, ${largestTimeMs}]`,
  )
}

function createTimeCheck(maxTimeMs: number, startedAt: number): () => void {
  if (!(maxTimeMs > 0)) return () => {}
  return () => {
    if (Date.now() > startedAt + maxTimeMs) throw timeExceeded()
  }
}

function timeExceeded(): CommandError {
  return new CommandError('MaxTimeMSExpired', 'operation exceeded time limit')
}

function commit(
  server: ServerState,
  { view }: CommandContext,
  retry: [string, Buffer | string | undefined] | undefined,
): void {
  if (view.isEmpty) return
  commitView(server, view, retry ? [retry] : [])
}

function toReply(result: Doc | Reply): Reply {
  if (!isReply(result)) return { fields: { ...result, ok: ok } }
  return { ...result, fields: { ...result.fields, ok: ok } }
}

// A retried bulkWrite gets its results again, in one batch.
function toStoredReply({ fields, cursor }: Reply): Doc {
  if (!cursor) return fields
  const { name, documents, namespace: ns } = cursor
  return { cursor: { [name]: documents.map((raw) => decode(raw)), id: Long.ZERO, ns }, ...fields }
}

function isReply(result: Doc | Reply): result is Reply {
  return 'fields' in result
}

function acknowledge(
  { store }: ServerState,
  { fields, cursor }: Reply,
  { isSynced, writeConcernError }: WriteConcern,
): Reply | Promise<Reply> {
  const reply = { cursor, fields: writeConcernError ? { ...fields, writeConcernError } : fields }
  return isSynced ? store.sync().then(() => reply) : reply
}

export function toErrorReply(error: unknown): Reply {
  if (error instanceof DroppedConnection) throw error
  const known =
    error instanceof CommandError
      ? error
      : new CommandError(
          'InternalError',
          `internal error: ${error instanceof Error ? error.stack : String(error)}`,
        )
  const { message, code, codeName, labels, details } = known
  return {
    fields: {
      ok: failed,
      errmsg: message,
      code,
      codeName,
      ...details,
      ...(labels && labels.length > 0 ? { errorLabels: labels } : {}),
    },
  }
}
