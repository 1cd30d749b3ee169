import { dumpInto, writeDump } from './dump-database.ts'
import { type TransferredCollection } from './export-database.ts'
import { type Client, requireData, withClient } from './open-client.ts'
import { listDumped, restoreDatabase } from './restore-database.ts'
import { type Arguments, namesOf, report, type Terminal } from './terminal.ts'

export async function runDump(args: Arguments, terminal: Terminal): Promise<void> {
  const { first, second, database, gzip } = args
  requireData(first)
  await withClient(first, async (client, role) => {
    if (role === 'attached') {
      terminal.error(`${first} is in use: the dump has the state of now, without later writes.\n`)
    }
    const names = await chooseDatabases(client, first, database)
    // All collections at one time; a server limits how long it keeps that.
    const session = role === undefined ? undefined : client.startSession({ snapshot: true })
    const done = await writeDump(second, async (directory) => {
      const all: TransferredCollection[] = []
      for (const name of names) {
        const options = { directory, gzip, ...(session ? { find: { session } } : {}) }
        const collections = await dumpInto(client.db(name), options)
        all.push(...collections.map((one) => ({ ...one, name: `${name}.${one.name}` })))
      }
      return all
    })
    report(terminal, 'dumped', done)
  })
}

async function chooseDatabases(
  client: Client,
  place: string,
  wanted: string | undefined,
): Promise<string[]> {
  const { databases } = await client.db('admin').command({ listDatabases: 1, nameOnly: true })
  const names = namesOf(databases).filter((name) => !['admin', 'config', 'local'].includes(name))
  const own = wanted === undefined ? names : names.filter((name) => name === wanted)
  if (own.length > 0) return own.toSorted()
  const known = names.length > 0 ? `It has ${names.join(', ')}.` : 'It is empty.'
  throw new Error(`${place} has no database${wanted === undefined ? '' : ` ${wanted}`}. ${known}`)
}

export async function runRestore(args: Arguments, terminal: Terminal): Promise<void> {
  const { first, second, database, drop } = args
  const folders = listDumped(first)
  await withClient(second, async (client) => {
    for (const [name, from] of chooseFolders(folders, first, database)) {
      const done = await restoreDatabase(client.db(name), { from, drop })
      report(
        terminal,
        'restored',
        done.map((one) => ({ ...one, name: `${name}.${one.name}` })),
      )
    }
  })
}

function chooseFolders(
  folders: Map<string, string>,
  place: string,
  wanted: string | undefined,
): Iterable<readonly [name: string, folder: string]> {
  if (wanted === undefined) return folders
  const folder = folders.get(wanted)
  if (folder !== undefined) return [[wanted, folder]]
  // The folder of one database can be restored under another name.
  if ([...folders.values()].includes(place)) return [[wanted, place]]
  throw new Error(`${place} has no database ${wanted}. It has ${[...folders.keys()].join(', ')}.`)
}
