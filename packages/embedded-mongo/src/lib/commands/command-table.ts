import { type Doc } from '../bson/document.ts'
import { CommandError, notImplemented } from '../errors/command-error.ts'
import { type Message } from '../wire/message.ts'
import {
  connectionStatus,
  features,
  getCmdLineOpts,
  getLog,
  hostInfo,
  profile,
  replSetGetConfig,
  replSetGetStatus,
  rolesInfo,
  usersInfo,
} from './administration.ts'
import { aggregate } from './aggregate.ts'
import { checkApiVersion } from './api-version.ts'
import { bulkWrite } from './bulk-write.ts'
import {
  create,
  drop,
  dropDatabase,
  listCollectionsCommand,
  listDatabases,
  renameCollection,
} from './collections.ts'
import { type Command } from './context.ts'
import { count, distinct } from './count-distinct.ts'
import { currentOp } from './current-op.ts'
import { abortTransaction, commitTransaction } from './transaction-commands.ts'
import { explain } from './explain.ts'
import { findAndModify } from './find-and-modify.ts'
import { configureFailPoint } from './fail-points.ts'
import { find } from './find.ts'
import { genericOptions } from './generic-options.ts'
import { getMore, killCursors } from './cursor-commands.ts'
import { buildInfo, endSessions, hello, isMaster, ping } from './handshake.ts'
import { collMod } from './coll-mod.ts'
import { createIndexes, dropIndexes, listIndexes } from './indexes.ts'
import { toDocument } from './requirements.ts'
import { getParameter, setParameter } from './parameters.ts'
import { collStats, compact, dbStats, serverStatus, top } from './statistics.ts'
import { validate } from './validate.ts'
import { deleteCommand, insert, update } from './writes.ts'

const table: Readonly<Record<string, Command>> = {
  abortTransaction,
  commitTransaction,
  aggregate,
  bulkWrite,
  collMod,
  collStats,
  compact,
  configureFailPoint,
  connectionStatus,
  dbStats,
  explain,
  features,
  getParameter,
  renameCollection,
  serverStatus,
  setParameter,
  buildInfo,
  buildinfo: buildInfo,
  count,
  create,
  createIndexes,
  currentOp,
  delete: deleteCommand,
  distinct,
  drop,
  dropDatabase,
  dropIndexes,
  endSessions,
  find,
  findAndModify,
  findandmodify: findAndModify,
  getCmdLineOpts,
  getLog,
  getMore,
  hello,
  hostInfo,
  insert,
  isMaster,
  ismaster: isMaster,
  killCursors,
  listCollections: listCollectionsCommand,
  listCommands: { options: [], run: listCommands },
  listDatabases,
  listIndexes,
  ping,
  profile,
  replSetGetConfig,
  replSetGetStatus,
  rolesInfo,
  top,
  update,
  usersInfo,
  validate,
}

// MongoDB commands that applications and tools may send and that are not supported.
const unsupported = new Set(
  [
    'mapReduce applyOps cloneCollectionAsCapped convertToCapped dataSize dbHash fsync killOp',
    'killSessions killAllSessions refreshSessions startSession logRotate reIndex shutdown',
    'whatsmyuri',
    'authenticate saslStart saslContinue logout createUser updateUser dropUser',
    'createRole updateRole dropRole grantRolesToUser revokeRolesFromUser',
    'createSearchIndexes updateSearchIndex dropSearchIndex listSearchIndexes planCacheClear',
    'enableSharding shardCollection addShard removeShard listShards balancerStart balancerStop',
    'replSetInitiate replSetReconfig replSetStepDown',
    'setFeatureCompatibilityVersion',
  ].flatMap((line) => line.split(' ')),
)

const readConcerns = new Set(['local', 'available', 'majority', 'linearizable', 'snapshot'])

// Outside a transaction. The Node.js driver sends the read concern of a session with getMore too.
const snapshotReads = new Set(['find', 'aggregate', 'distinct', 'getMore'])

export interface NamedCommand extends Command {
  name: string
}

const commands = new Map<string, NamedCommand>(
  Object.entries(table).map(([name, command]) => [name, { ...command, name }]),
)

// A request's first field names its command.
export function requireCommand(body: Doc): NamedCommand {
  const name = Object.keys(body)[0] ?? ''
  const command = commands.get(name)
  if (!command && unsupported.has(name)) throw notImplemented(`command ${name}`)
  if (!command) throw new CommandError('CommandNotFound', `no such command: '${name}'`)
  if (command.adminOnly && body['$db'] !== 'admin') {
    throw new CommandError('Unauthorized', `${name} may only be run against the admin database.`)
  }
  return command
}

function listCommands(): Doc {
  const described = [...commands].map(([name, { adminOnly = false }]) => [
    name,
    { help: '', requiresAuth: false, adminOnly },
  ])
  return { commands: Object.fromEntries(described) }
}

// Rejects unknown options: silently ignoring one would be a difference to MongoDB.
export function checkOptions(command: NamedCommand, message: Message): void {
  const { body, sequences } = message
  for (const option of [...Object.keys(body), ...sequences.keys()]) {
    if (option === command.name || genericOptions.has(option)) continue
    if (command.options && !command.options.includes(option)) {
      throw new CommandError(
        'Location40415',
        `BSON field '${command.name}.${option}' is an unknown field.`,
      )
    }
  }
  checkApiVersion(command.name, body)
  const { level = 'local' } = toDocument(body['readConcern'], 'readConcern')
  if (typeof level !== 'string' || !readConcerns.has(level)) {
    throw new CommandError(
      'BadValue',
      `Enumeration value '${String(level)}' for field 'readConcern.level' is not a valid value.`,
    )
  }
  if (level === 'snapshot' && body['autocommit'] !== false && !snapshotReads.has(command.name)) {
    throw new CommandError(
      'InvalidOptions',
      `Command ${command.name} does not support { readConcern: { level: "snapshot" } }`,
    )
  }
}
