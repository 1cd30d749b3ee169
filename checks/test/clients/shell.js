// What people type into mongosh to look at a database.
// Usage: mongosh <uri> --file shell.js
/* global db, rs, print */
const { equal, match, ok } = require('node:assert/strict')

// The arrays of the shell have another prototype.
const deepEqual = (found, expected) => equal(JSON.stringify(found), JSON.stringify(expected))

const shop = db.getSiblingDB('shop')
const admin = db.getSiblingDB('admin')
const { items } = shop

items.insertMany([
  { _id: 1, name: 'a', price: NumberDecimal('1.10') },
  { _id: 2, name: 'b', price: NumberLong('9007199254740993') },
])
items.createIndex({ name: 1 }, { unique: true })
equal(items.findOne({ name: 'b' }).price.toString(), '9007199254740993')
equal(items.find({ name: 'a' }).explain().queryPlanner.winningPlan.inputStage.stage, 'IXSCAN')

deepEqual(
  admin.adminCommand('listDatabases').databases.map(({ name }) => name),
  ['shop'],
)
deepEqual(
  shop.getCollectionInfos().map(({ name, type }) => [name, type]),
  [['items', 'collection']],
)
deepEqual(
  items.getIndexes().map(({ name }) => name),
  ['_id_', 'name_1'],
)
equal(shop.stats().objects, 2)
const { count, totalSize, indexSizes } = items.stats()
deepEqual([count, Object.keys(indexSizes)], [2, ['_id_', 'name_1']])
equal(items.totalSize(), totalSize)
equal(items.dataSize(), shop.stats().dataSize)
equal(items.isCapped(), false)
equal(items.validate({ full: true }).valid, true)
const [own] = items.aggregate([{ $indexStats: {} }, { $match: { name: 'name_1' } }]).toArray()
equal(Number(own.accesses.ops), 1)

match(shop.version(), /^8\./)
deepEqual(shop.serverBuildInfo().modules, ['embedded'])
equal(rs.status().members.length, 2)
equal(rs.conf().members.length, 2)
equal(rs.hello().setName, 'rs0')
equal(shop.currentOp().inprog.length, 1)
equal(shop.getProfilingStatus().was, 0)
ok(Number(shop.serverStatus().opcounters.insert) >= 2)
ok(admin.adminCommand({ top: 1 }).totals['shop.items'].total.count > 0)
deepEqual(admin.adminCommand({ getLog: 'startupWarnings' }).log, [])
ok(shop.hostInfo().system.numCores > 0)
deepEqual(shop.serverCmdLineOpts().parsed, {})
deepEqual(shop.runCommand({ connectionStatus: 1 }).authInfo.authenticatedUsers, [])
equal(
  admin.adminCommand({ getParameter: 1, featureCompatibilityVersion: 1 })
    .featureCompatibilityVersion.version,
  '8.0',
)
equal(admin.adminCommand({ features: 1 }).ok, 1)
ok('find' in shop.listCommands().value)
deepEqual(shop.getUsers().users, [])
equal(shop.getUser('someone'), null)
deepEqual(shop.getRoles({ showBuiltinRoles: true }).roles, [])

const session = db.getMongo().startSession()
session.startTransaction()
session.getDatabase('shop').items.insertOne({ _id: 3, name: 'c' })
session.abortTransaction()
session.endSession()
equal(items.countDocuments(), 2)
const stream = items.watch()
stream.disableBlockWarnings()
items.deleteOne({ _id: 2 })
equal(stream.next().operationType, 'delete')
stream.close()
shop.dropDatabase()
print('ok')
