import { type Db, type MongoClient } from 'mongodb'
import { describe, expect, it } from 'vitest'
import { connect, freshDatabase, start } from '../../../test/fresh-server.ts'

async function currentOps(client: MongoClient, options = {}) {
  return client
    .db('admin')
    .aggregate([{ $currentOp: options }])
    .toArray()
}

describe('currentOp', () => {
  it('names itself', async () => {
    const { client } = await freshDatabase()
    expect(await currentOps(client)).toMatchObject([
      {
        type: 'op',
        active: true,
        op: 'command',
        ns: 'admin.$cmd.aggregate',
        command: { aggregate: 1 },
        secs_running: 0,
      },
    ])
    const { inprog } = await client.db('admin').command({ currentOp: 1 })
    expect(inprog).toMatchObject([{ ns: 'admin.$cmd', command: { currentOp: 1 } }])
  })

  it('shows what waits, by a filter', async () => {
    const { uri } = await start()
    const client = await connect(uri)
    const items = client.db().collection('items')
    const stream = items.watch()
    const next = stream.next()
    const admin = (await connect(uri)).db('admin')
    await expect
      .poll(() => admin.command({ currentOp: 1, op: 'getmore' }))
      .toMatchObject({ inprog: [{ ns: 'app.items', command: { collection: 'items' } }] })
    await items.insertOne({})
    await next
    await stream.close()
    expect(await admin.command({ currentOp: 1, op: 'getmore' })).toMatchObject({ inprog: [] })
  })

  it('shows open transactions as idle sessions', async () => {
    const { client, databaseName } = await freshDatabase()
    const items = client.db(databaseName).collection('items')
    await client.withSession((session) =>
      session.withTransaction(async () => {
        await items.insertOne({}, { session })
        const { inprog } = await client.db('admin').command({ currentOp: 1, type: 'idleSession' })
        expect(inprog).toMatchObject([
          {
            active: false,
            lsid: { id: session.id?.['id'] },
            transaction: { parameters: { txnNumber: 1, autocommit: false } },
          },
        ])
        expect(await currentOps(client)).toHaveLength(2)
        expect(await currentOps(client, { idleSessions: false })).toHaveLength(1)
      }),
    )
    expect(await currentOps(client)).toHaveLength(1)
  })

  const stage = (operand: unknown, more: object[] = []) => ({
    aggregate: 1,
    pipeline: [...more, { $currentOp: operand }],
    cursor: {},
  })

  it.each<[string, object, string, number]>([
    ['another database', { currentOp: 1 }, 'app', 13],
    ['idle connections', { currentOp: 1, $all: true }, 'admin', 238],
    ['an unknown operator of the filter', { currentOp: 1, op: { $other: 1 } }, 'admin', 2],
    ['the stage in another database', stage({}), 'app', 73],
    ['the stage on a collection', { ...stage({}), aggregate: 'items' }, 'admin', 73],
    ['an operand that is not an object', stage(1), 'admin', 9],
    ['an unknown option', stage({ other: true }), 'admin', 9],
    ['an option that is not a boolean', stage({ allUsers: 1 }), 'admin', 9],
    ['idle connections of the stage', stage({ idleConnections: true }), 'admin', 238],
    ['idle cursors of the stage', stage({ idleCursors: true }), 'admin', 238],
    ['another stage before it', stage({}, [{ $match: {} }]), 'admin', 40_602],
  ])('refuses %s', async (_name, command, database, code) => {
    const { client }: Db = await freshDatabase()
    await expect(client.db(database).command(command)).rejects.toMatchObject({ code })
  })

  it.each(['$collStats', '$currentOp', '$indexStats'])(
    'refuses %s in a transaction, as the other stages about the server',
    async (name) => {
      const { client, databaseName } = await freshDatabase()
      const database = client.db(name === '$currentOp' ? 'admin' : databaseName)
      await database.collection('items').findOne({})
      await client.withSession(async (session) => {
        session.startTransaction()
        const pipeline = [{ [name]: {} }]
        const read =
          name === '$currentOp'
            ? database.aggregate(pipeline, { session })
            : database.collection('items').aggregate(pipeline, { session })
        await expect(read.toArray()).rejects.toMatchObject({ code: 263 })
      })
    },
  )
})
