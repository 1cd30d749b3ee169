import { hostname } from 'node:os'
import { Binary, Long } from 'bson'
import { type Doc, isDocument } from '../bson/document.ts'
import { showValue } from '../bson/show-value.ts'
import { CommandError, notImplemented } from '../errors/command-error.ts'
import { compileFilter } from '../query/compile-filter.ts'
import { type Transaction } from '../sessions/transactions.ts'
import { collectionOf, kindOf } from './command-kind.ts'
import { type Command, type CommandContext } from './context.ts'
import { genericOptions } from './generic-options.ts'
import { type Operation } from './operations.ts'

// Its other fields are a filter.
export const currentOp: Command = {
  adminOnly: true,
  run(context) {
    const { currentOp: _name, $all: isAll, $ownOps: _ownOps, ...rest } = context.body
    if (isAll === true || isAll === 1) throw notImplemented('currentOp with idle connections')
    const conditions = Object.entries(rest).filter(([name]) => !genericOptions.has(name))
    const matches = compileFilter(Object.fromEntries(conditions))
    return { inprog: listOperations(context).filter((operation) => matches(operation)) }
  },
}

const stageOptions = ['allUsers', 'idleSessions', 'localOps', 'targetAllNodes', 'truncateOps']
const unsupported = ['idleConnections', 'idleCursors']

// The documents that an aggregation with the stage $currentOp starts from.
export function currentOpStage(context: CommandContext, operand: unknown): Doc[] {
  if (context.database !== 'admin' || Number(context.body['aggregate']) !== 1) {
    throw new CommandError(
      'InvalidNamespace',
      "$currentOp must be run against the 'admin' database with {aggregate: 1}",
    )
  }
  const { idleSessions = true } = parseStage(operand)
  return listOperations(context, idleSessions === true)
}

function parseStage(operand: unknown): Doc {
  if (!isDocument(operand)) {
    throw new CommandError(
      'FailedToParse',
      `$currentOp options must be specified in an object, but found: ${showValue(operand)}`,
    )
  }
  for (const [name, value] of Object.entries(operand)) {
    if (!stageOptions.includes(name) && !unsupported.includes(name)) {
      throw new CommandError('FailedToParse', `Unrecognized option '${name}' in $currentOp stage.`)
    }
    if (typeof value !== 'boolean') {
      throw new CommandError(
        'FailedToParse',
        `The '${name}' parameter of the $currentOp stage must be a boolean value, but found: ${showValue(value)}`,
      )
    }
    if (value && unsupported.includes(name)) throw notImplemented(`$currentOp with ${name}`)
  }
  return operand
}

function listOperations({ server, body, now }: CommandContext, withSessions = true): Doc[] {
  const operations = [server.operations.create(body, now), ...server.operations.waiting()]
  const active = operations.map((operation) => describeOperation(operation, now))
  if (!withSessions) return active
  const idle = server.transactions
    .open()
    .map((transaction) => describeTransaction(transaction, now))
  return [...active, ...idle]
}

function describeOperation({ id, body, startedAt }: Operation, now: Date): Doc {
  const [name = ''] = Object.keys(body)
  const ms = now.getTime() - startedAt.getTime()
  return {
    type: 'op',
    host: hostname(),
    desc: 'conn',
    active: true,
    currentOpTime: now.toISOString(),
    opid: id,
    ...(body['lsid'] === undefined ? {} : { lsid: body['lsid'] }),
    secs_running: Long.fromNumber(Math.floor(ms / 1000)),
    microsecs_running: Long.fromNumber(ms * 1000),
    op: kindOf(name).op,
    ns: namespaceOf(name, body),
    command: body,
  }
}

function namespaceOf(name: string, body: Doc): string {
  const inside = name === 'aggregate' ? '$cmd.aggregate' : '$cmd'
  return `${String(body['$db'])}.${collectionOf(name, body) ?? inside}`
}

function describeTransaction({ session, number, startedAt }: Transaction, now: Date): Doc {
  return {
    type: 'idleSession',
    host: hostname(),
    desc: 'inactive transaction',
    active: false,
    currentOpTime: now.toISOString(),
    lsid: { id: new Binary(Buffer.from(session, 'latin1'), Binary.SUBTYPE_UUID) },
    transaction: {
      parameters: { txnNumber: Long.fromBigInt(number), autocommit: false },
      startWallClockTime: new Date(startedAt).toISOString(),
      timeOpenMicros: Long.fromNumber((now.getTime() - startedAt) * 1000),
    },
  }
}
