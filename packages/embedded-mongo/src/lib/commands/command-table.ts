import { type Doc } from '../bson/document.ts'
import { CommandError, notImplemented } from '../errors/command-error.ts'
import { type Message } from '../wire/message.ts'
import { aggregate } from './aggregate.ts'
import { bulkWrite } from './bulk-write.ts'
import { collMod } from './coll-mod.ts'
import { type Command } from './context.ts'
import { count } from './count.ts'
import { create } from './create.ts'
import { createIndexes } from './create-indexes.ts'
import { deleteCommand } from './delete.ts'
import { distinct } from './distinct.ts'
import { drop, dropDatabase } from './drop.ts'
import { dropIndexes } from './drop-indexes.ts'
import { abortTransaction, commitTransaction } from './end-transaction.ts'
import { explain } from './explain.ts'
import { find } from './find.ts'
import { findAndModify } from './find-and-modify.ts'
import { getMore, killCursors } from './get-more.ts'
import { buildInfo, endSessions, hello, isMaster, ping } from './handshake.ts'
import { insert } from './insert.ts'
import { listCollectionsCommand, listDatabases } from './list-collections.ts'
import { listIndexes } from './list-indexes.ts'
import { renameCollection } from './rename-collection.ts'
import { toDocument } from './requirements.ts'
import { collStats, compact, dbStats, getParameter, serverStatus } from './statistics.ts'
import { update } from './update.ts'

const table: Readonly<Record<string, Command>> = {
  abortTransaction,
  commitTransaction,
  aggregate,
  bulkWrite,
  collMod,
  collStats,
  compact,
  dbStats,
  explain,
  getParameter,
  renameCollection,
  serverStatus,
  buildInfo,
  buildinfo: buildInfo,
  count,
  create,
  createIndexes,
  delete: deleteCommand,
  distinct,
  drop,
  dropDatabase,
  dropIndexes,
  endSessions,
  find,
  findAndModify,
  findandmodify: findAndModify,
  getMore,
  hello,
  insert,
  isMaster,
  ismaster: isMaster,
  killCursors,
  listCollections: listCollectionsCommand,
  listDatabases,
  listIndexes,
  ping,
  update,
}

// Commands of MongoDB that applications and tools know, and that are left out.
const UNSUPPORTED = new Set(
  [
    'mapReduce applyOps cloneCollectionAsCapped convertToCapped currentOp dataSize dbHash fsync killOp',
    'killSessions killAllSessions refreshSessions startSession logRotate profile reIndex shutdown',
    'validate connectionStatus getCmdLineOpts getLog hostInfo top whatsmyuri',
    'authenticate saslStart saslContinue logout createUser updateUser dropUser usersInfo',
    'createRole updateRole dropRole grantRolesToUser revokeRolesFromUser rolesInfo',
    'createSearchIndexes updateSearchIndex dropSearchIndex listSearchIndexes planCacheClear',
    'enableSharding shardCollection addShard removeShard listShards balancerStart balancerStop',
    'replSetGetStatus replSetInitiate replSetReconfig replSetStepDown setParameter',
    'setFeatureCompatibilityVersion configureFailPoint',
  ].flatMap((line) => line.split(' ')),
)

const GENERIC_OPTIONS = new Set([
  '$clusterTime',
  '$db',
  '$readPreference',
  'apiDeprecationErrors',
  'apiStrict',
  'apiVersion',
  'autocommit',
  'comment',
  'lsid',
  'maxTimeMS',
  'readConcern',
  'startTransaction',
  'txnNumber',
  'writeConcern',
])

const READ_CONCERNS = new Set(['local', 'available', 'majority', 'linearizable', 'snapshot'])

/** A command with the name it was called by. */
export interface NamedCommand extends Command {
  name: string
}

const commands = new Map<string, NamedCommand>(
  Object.entries(table).map(([name, command]) => [name, { ...command, name }]),
)

/**
 * Finds the command a request names: its first field.
 *
 * @param body The request.
 * @returns The command.
 * @throws {CommandError} 238 for a command only MongoDB has, 59 when there is no such command.
 */
export function requireCommand(body: Doc): NamedCommand {
  const name = Object.keys(body)[0] ?? ''
  const command = commands.get(name)
  if (!command && UNSUPPORTED.has(name)) throw notImplemented(`command ${name}`)
  if (!command) throw new CommandError(59, `no such command: '${name}'`)
  return command
}

/**
 * Refuses what a command does not know: an ignored option would be a silent difference.
 *
 * @param command The command.
 * @param message The request.
 * @throws {CommandError} 40415 for an unknown option, 2 for an unknown read concern, 72 for one that
 * cannot be kept.
 */
export function checkOptions(command: NamedCommand, message: Message): void {
  const { body, sequences } = message
  for (const option of [...Object.keys(body), ...sequences.keys()]) {
    if (option === command.name || GENERIC_OPTIONS.has(option)) continue
    if (!command.options.includes(option)) {
      throw new CommandError(40415, `BSON field '${command.name}.${option}' is an unknown field.`)
    }
  }
  const { level = 'local' } = toDocument(body['readConcern'], 'readConcern')
  if (typeof level !== 'string' || !READ_CONCERNS.has(level)) {
    throw new CommandError(
      2,
      `Enumeration value '${String(level)}' for field 'readConcern.level' is not a valid value.`,
    )
  }
  if (level === 'snapshot' && body['autocommit'] !== false) {
    throw new CommandError(72, 'readConcern level snapshot is only supported in a transaction here')
  }
}
