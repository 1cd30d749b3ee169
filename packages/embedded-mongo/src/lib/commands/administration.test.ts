import { describe, expect, it } from 'vitest'
import { freshDatabase } from '../../../test/fresh-server.ts'

describe('what tools ask for when they connect', () => {
  it('gets a response', async () => {
    const db = await freshDatabase()
    const admin = db.admin()
    expect(await admin.command({ connectionStatus: 1, showPrivileges: true })).toMatchObject({
      authInfo: { authenticatedUsers: [], authenticatedUserPrivileges: [] },
    })
    expect(await admin.command({ getCmdLineOpts: 1 })).toMatchObject({ parsed: {} })
    expect(await admin.command({ getLog: 'startupWarnings' })).toMatchObject({ log: [] })
    expect(await admin.command({ getLog: '*' })).toMatchObject({
      names: ['global', 'startupWarnings'],
    })
    expect(await admin.command({ hostInfo: 1 })).toMatchObject({
      system: { hostname: expect.any(String) },
      extra: { nodeVersion: process.version },
    })
    expect(await db.command({ profile: -1 })).toMatchObject({ was: 0 })
  })

  it('names the members that hello names', async () => {
    const admin = (await freshDatabase()).admin()
    const { hosts, primary } = await admin.command({ hello: 1 })
    const status = await admin.command({ replSetGetStatus: 1 })
    expect(status).toMatchObject({ set: 'rs0', myState: 1 })
    expect(status['members'].map(({ name }: { name: string }) => name)).toEqual(hosts)
    expect(status['members'][0]).toMatchObject({ name: primary, stateStr: 'PRIMARY', self: true })
    expect(status['members'][1]).not.toHaveProperty('self')
  })

  it('has the configuration of both members', async () => {
    const admin = (await freshDatabase()).admin()
    const { hosts } = await admin.command({ hello: 1 })
    const { config } = await admin.command({ replSetGetConfig: 1 })
    expect(config).toMatchObject({ _id: 'rs0', version: 1 })
    expect(config.members.map(({ host }: { host: string }) => host)).toEqual(hosts)
  })

  it('has neither users nor roles', async () => {
    const db = await freshDatabase()
    expect(await db.command({ usersInfo: 1 })).toMatchObject({ users: [] })
    expect(await db.command({ usersInfo: { user: 'a', db: 'app' } })).toMatchObject({ users: [] })
    expect(await db.command({ rolesInfo: 1, showBuiltinRoles: true })).toMatchObject({ roles: [] })
  })

  it('sets parameters', async () => {
    const admin = (await freshDatabase()).admin()
    const read = () => admin.command({ getParameter: 1, transactionLifetimeLimitSeconds: 1 })
    expect(await read()).toMatchObject({ transactionLifetimeLimitSeconds: 60 })
    expect(
      await admin.command({ setParameter: 1, transactionLifetimeLimitSeconds: 5 }),
    ).toMatchObject({ was: 60 })
    expect(await read()).toMatchObject({ transactionLifetimeLimitSeconds: 5 })
    const zero = admin.command({ setParameter: 1, transactionLifetimeLimitSeconds: 0 })
    await expect(zero).rejects.toMatchObject({ code: 2 })
  })

  it('lists its commands', async () => {
    const db = await freshDatabase()
    expect(await db.command({ features: 1 })).toMatchObject({ ok: 1 })
    const { commands } = await db.command({ listCommands: 1 })
    expect(commands).toMatchObject({
      find: { adminOnly: false },
      replSetGetConfig: { adminOnly: true },
    })
    expect(commands).not.toHaveProperty('createUser')
  })

  it.each([
    [{ listDatabases: 1 }, 'app', 13],
    [{ renameCollection: 'app.a', to: 'app.b' }, 'app', 13],
    [{ getParameter: '*' }, 'app', 13],
    [{ setParameter: 1, ttlMonitorEnabled: true }, 'app', 13],
    [{ bulkWrite: 1, ops: [{ insert: 0, document: {} }], nsInfo: [{ ns: 'app.a' }] }, 'app', 13],
    [{ replSetGetConfig: 1 }, 'app', 13],
    [{ usersInfo: 1, other: 1 }, 'app', 40_415],
    [{ getLog: 'other' }, 'admin', 96],
    [{ getLog: 'global' }, 'app', 13],
    [{ getCmdLineOpts: 1 }, 'app', 13],
    [{ replSetGetStatus: 1 }, 'app', 13],
    [{ profile: 1 }, 'app', 238],
    [{ profile: 2 }, 'app', 238],
  ])('refuses %j in %s', async (command, database, code) => {
    const { client } = await freshDatabase()
    await expect(client.db(database).command(command)).rejects.toMatchObject({ code })
  })
})
