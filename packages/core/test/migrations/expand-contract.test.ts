import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { startEmbeddedMongo } from '@create-api/embedded-mongo'
import mongoose, { type Connection, Schema } from 'mongoose'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createMigrator } from '../../src/lib/migrations/migrator.ts'
import { createMigrationFolder } from './migration-folder.ts'

// The example of docs/migrations.md: `name` becomes `firstName` and `lastName`, while processes of
// two versions serve. Each version is a model on its own connection, as in separate processes.

interface User {
  name?: string
  firstName?: string
  lastName?: string
}

interface Version {
  readonly create: (first: string, last: string) => Promise<void>
  readonly rename: (id: unknown, first: string, last: string) => Promise<void>
  /** What clients read: the whole name of each user. */
  readonly read: () => Promise<readonly string[]>
}

let embedded: Awaited<ReturnType<typeof startEmbeddedMongo>>
const connections: Connection[] = []
const dbName = `expand_${randomBytes(4).toString('hex')}`

beforeAll(async () => {
  embedded = await startEmbeddedMongo({ storage: { memory: true }, port: 0, onMessage: () => {} })
})

afterAll(async () => {
  for (const connection of connections) await connection.close()
  await embedded.stop()
})

async function connect(): Promise<Connection> {
  const connection = await mongoose.createConnection(embedded.uri, { dbName }).asPromise()
  connections.push(connection)
  return connection
}

interface Code {
  readonly toStored: (first: string, last: string) => User
  readonly toName: (user: User) => string
}

const old: Code = {
  toStored: (first, last) => ({ name: `${first} ${last}` }),
  toName: ({ name }) => name ?? 'missing',
}
// Writes both forms, reads the old one.
const expanded: Code = {
  toStored: (firstName, lastName) => ({ name: `${firstName} ${lastName}`, firstName, lastName }),
  toName: old.toName,
}
const contracted: Code = {
  toStored: (firstName, lastName) => ({ firstName, lastName }),
  toName: ({ firstName, lastName }) =>
    firstName === undefined || lastName === undefined ? 'missing' : `${firstName} ${lastName}`,
}
// Writes both forms, reads the new one.
const switched: Code = { toStored: expanded.toStored, toName: contracted.toName }

async function deploy({ toName, toStored }: Code): Promise<Version> {
  const connection = await connect()
  const fields = { name: String, firstName: String, lastName: String }
  const users = connection.model('User', new Schema<User>(fields))
  return {
    async create(first, last) {
      await users.create(toStored(first, last))
    },
    async rename(id, first, last) {
      await users.updateOne({ _id: id }, { $set: toStored(first, last) })
    },
    async read() {
      return (await users.find().sort({ _id: 1 }).lean()).map((user) => toName(user))
    },
  }
}

const page = readFileSync(path.join(import.meta.dirname, '../../../../docs/migrations.md'), 'utf8')

// What the page passes to `defineMigration`, in batches small enough for several.
function readExample(name: string): string {
  const [, rest = ''] = page.split(`-${name}.ts\n`)
  const [, definition] = /defineMigration\((\{.+?\n\})\)\n```/s.exec(rest) ?? []
  if (definition === undefined) throw new Error(`docs/migrations.md has no example ${name}`)
  return definition.replace("collection: 'users',", "collection: 'users', size: 5,")
}

it('expand and contract: every version reads every name, while two of them serve', async () => {
  const folder = createMigrationFolder()
  const connection = await connect()
  const migrate = async (): Promise<void> => {
    const { directory } = folder
    await createMigrator({ connection, directory, service: 'shop', version: '1' }).up()
  }
  const names: string[] = []
  const create = async (version: Version): Promise<void> => {
    const last = `Number${names.length}`
    names.push(`Ada ${last}`)
    await version.create('Ada', last)
  }
  const serve = async (...versions: readonly Version[]): Promise<void> => {
    for (const version of versions) {
      for (let count = 0; count < 6; count += 1) await create(version)
      const [first] = await connection.collection('users').find().sort({ _id: 1 }).toArray()
      await version.rename(first?._id, 'Grace', 'Hopper')
      names[0] = 'Grace Hopper'
    }
    for (const version of versions) expect(await version.read()).toEqual(names)
  }

  const before = await deploy(old)
  await serve(before)
  const expand = await deploy(expanded)
  await serve(before, expand)
  // The version before changes a name that is stored in both forms.
  const [both] = await connection.collection('users').find().sort({ _id: -1 }).limit(1).toArray()
  expect(both).toHaveProperty('lastName')
  await before.rename(both?._id, 'Edith', 'Clarke')
  names[names.length - 1] = 'Edith Clarke'
  // The old version is gone; names are created while the migration runs.
  folder.write('20260101000000-split-names', readExample('split-names'))
  await Promise.all([migrate(), serve(expand)])
  const read = await deploy(switched)
  await serve(expand, read)
  const contract = await deploy(contracted)
  // `expand` is gone: it reads what `contract` does not write.
  await serve(read)
  await contract.create('Last', 'One')
  names.push('Last One')
  expect(await read.read()).toEqual(names)
  folder.write('20260102000000-remove-names', readExample('remove-names'))
  await Promise.all([migrate(), serve(contract)])
  expect(await connection.collection('users').countDocuments({ name: { $exists: true } })).toBe(0)
  await serve(contract)
})

it('without the steps between, the old version would not read what the new one writes', async () => {
  const before = await deploy(old)
  const after = await deploy(contracted)
  await after.create('Lost', 'Name')
  expect(await before.read()).toContain('missing')
})
