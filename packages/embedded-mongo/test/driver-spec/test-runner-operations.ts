import { setTimeout as delay } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import { type ClientSession, type Document, type MongoClient } from 'mongodb'
import { type Entities } from './entities.ts'
import { UnsupportedOperation } from './operations.ts'
import { type Operation } from './spec-file.ts'

export interface TestRunnerContext {
  entities: Entities
  /** A client of the runner, which the test does not observe. */
  setup: MongoClient
}

type Run = (args: Document, context: TestRunnerContext) => unknown

/** Runs an operation whose object is the test runner itself. */
export async function runTestOperation(
  { name, arguments: args = {} }: Operation,
  context: TestRunnerContext,
): Promise<void> {
  const run = operations[name]
  if (!run) throw new UnsupportedOperation(`${name} of the test runner`)
  await run(args, context)
}

const operations: Readonly<Record<string, Run>> = {
  createEntities: (args, { entities }) => entities.create(args['entities']),
  failPoint: ({ client, failPoint }, { entities }) =>
    entities.get('client', client).client.db('admin').command(failPoint),
  wait: ({ ms }) => delay(ms),
  waitForEvent: ({ client, event, count }, { entities }) =>
    entities.get('client', client).events.waitFor(Object.keys(event)[0] ?? '', count),
  assertSessionTransactionState: (args, context) => {
    const state = transactionState(sessionOf(args, context))
    check(state === args['state'], `the transaction is ${state}`)
  },
  assertSessionPinned: (args, context) =>
    check(sessionOf(args, context).isPinned, 'the session is not pinned'),
  assertSessionUnpinned: (args, context) =>
    check(!sessionOf(args, context).isPinned, 'the session is pinned'),
  assertSessionDirty: (args, context) =>
    check(sessionOf(args, context).serverSession.isDirty, 'the session is not dirty'),
  assertSessionNotDirty: (args, context) =>
    check(!sessionOf(args, context).serverSession.isDirty, 'the session is dirty'),
  assertSameLsidOnLastTwoCommands: (args, context) =>
    check(isSameSession(args, context), 'the sessions differ'),
  assertDifferentLsidOnLastTwoCommands: (args, context) =>
    check(!isSameSession(args, context), 'the session is the same'),
  assertNumberConnectionsCheckedOut: ({ client, connections }, { entities }) => {
    const events = entities.get('client', client).events.list('cmap')
    const count = (kind: string): number => events.filter(({ name }) => name === kind).length
    const open = count('connectionCheckedOutEvent') - count('connectionCheckedInEvent')
    check(open === connections, `${open} connections are checked out`)
  },
  assertCollectionExists: async (args, context) =>
    check(await hasCollection(args, context), 'the collection does not exist'),
  assertCollectionNotExists: async (args, context) =>
    check(!(await hasCollection(args, context)), 'the collection exists'),
  assertIndexExists: async (args, context) =>
    check(await hasIndex(args, context), 'the index does not exist'),
  assertIndexNotExists: async (args, context) =>
    check(!(await hasIndex(args, context)), 'the index exists'),
}

function check(isTrue: boolean, message: string): void {
  if (!isTrue) throw new Error(`Assertion of the test: ${message}`)
}

function sessionOf(args: Document, { entities }: TestRunnerContext): ClientSession {
  return entities.get('session', args['session']).session
}

// The driver's own names, such as TRANSACTION_IN_PROGRESS.
function transactionState(session: ClientSession): string {
  const { state } = (session as unknown as { transaction: { state: string } }).transaction
  if (state === 'NO_TRANSACTION') return 'none'
  return state.replace(/^TRANSACTION_|_TRANSACTION$|_EMPTY$/g, '').toLowerCase()
}

function isSameSession({ client }: Document, { entities }: TestRunnerContext): boolean {
  const [a, b] = entities.get('client', client).events.commands.slice(-2)
  if (!a?.['lsid'] || !b?.['lsid']) throw new Error('The last two commands name no session')
  return isDeepStrictEqual(a['lsid'], b['lsid'])
}

async function hasCollection(
  { databaseName, collectionName }: Document,
  { setup }: TestRunnerContext,
): Promise<boolean> {
  const filter = { name: collectionName }
  const found = await setup.db(databaseName).listCollections(filter, { nameOnly: true }).toArray()
  return found.length > 0
}

async function hasIndex(args: Document, context: TestRunnerContext): Promise<boolean> {
  if (!(await hasCollection(args, context))) return false
  const collection = context.setup.db(args['databaseName']).collection(args['collectionName'])
  return (await collection.indexes()).some(({ name }) => name === args['indexName'])
}
