import {
  type AbstractCursor,
  type ChangeStream,
  type ClientSession,
  type Collection,
  type Db,
  type Document,
  GridFSBucket,
  MongoClient,
  ReadPreference,
  type ReadPreferenceMode,
} from 'mongodb'
import { type EventLog, recordEvents } from './events.ts'
import { type EntitySpec } from './spec-file.ts'

type Entity = { kind: 'value'; value: unknown } | { [K in keyof Kinds]: Kind<K> }[keyof Kinds]

interface Kinds {
  client: { client: MongoClient; events: EventLog }
  database: Db
  collection: Collection
  bucket: GridFSBucket
  session: { session: ClientSession; lsid: Document }
  cursor: AbstractCursor
  changeStream: ChangeStream
}

interface Kind<K extends keyof Kinds> {
  kind: K
  value: Kinds[K]
}

export type SavedKind = 'value' | 'collection' | 'cursor' | 'changeStream'

/** The clients, collections, sessions and saved results of one test, by name. */
export interface Entities {
  create(specs: EntitySpec[]): void
  save(id: string, value: unknown, kind?: SavedKind): void
  find(id: string): Entity
  get<K extends keyof Kinds>(kind: K, id: string): Kinds[K]
  /** Arguments as options of the driver: sessions by name, read preferences and concerns. */
  toOptions(args: Document): Document
  close(): Promise<void>
}

export function createEntities(uri: string): Entities {
  const all = new Map<string, Entity>()

  function find(id: string): Entity {
    const found = all.get(id)
    if (!found) throw new Error(`The test has no entity '${id}'`)
    return found
  }

  function get<K extends keyof Kinds>(kind: K, id: string): Kinds[K] {
    const found = find(id)
    if (found.kind !== kind) throw new Error(`Entity '${id}' is a ${found.kind}, not a ${kind}`)
    return found.value as Kinds[K]
  }

  function toOptions(args: Document): Document {
    const { session, ...options } = toDriverOptions(args)
    return session === undefined
      ? options
      : { ...options, session: get('session', session).session }
  }

  const makers: Record<string, (spec: Document) => Entity> = {
    client: (spec) => ({ kind: 'client', value: openClient(uri, spec) }),
    database: (spec) => ({
      kind: 'database',
      value: get('client', spec['client']).client.db(
        spec['databaseName'],
        toDriverOptions(spec['databaseOptions'] ?? {}),
      ),
    }),
    collection: (spec) => ({
      kind: 'collection',
      value: get('database', spec['database']).collection(
        spec['collectionName'],
        toDriverOptions(spec['collectionOptions'] ?? {}),
      ),
    }),
    bucket: (spec) => ({
      kind: 'bucket',
      value: new GridFSBucket(
        get('database', spec['database']),
        toDriverOptions(spec['bucketOptions'] ?? {}),
      ),
    }),
    session: (spec) => {
      const { client } = get('client', spec['client'])
      const session = client.startSession(toDriverOptions(spec['sessionOptions'] ?? {}))
      return { kind: 'session', value: { session, lsid: { ...session.id } } }
    },
  }

  return {
    create(specs) {
      for (const spec of specs) {
        for (const [kind, options] of Object.entries(spec)) {
          const make = makers[kind]
          if (!make) throw new Error(`This runner creates no ${kind}`)
          all.set(options.id, make(options))
        }
      }
    },
    save: (id, value, kind = 'value') => all.set(id, { kind, value } as Entity),
    find,
    get,
    toOptions,
    async close() {
      const values = [...all.values()]
      for (const { kind, value } of values) {
        if (kind === 'cursor' || kind === 'changeStream') await value.close()
      }
      for (const { kind, value } of values) if (kind === 'session') await value.session.endSession()
      for (const { kind, value } of values) if (kind === 'client') await value.client.close()
    },
  }
}

function openClient(uri: string, spec: Document): Kinds['client'] {
  const client = new MongoClient(withOptions(uri, spec['uriOptions'] ?? {}), {
    monitorCommands: true,
    // A server that failed is asked again soon: the tests make it fail often.
    minHeartbeatFrequencyMS: 20,
    ...(spec['serverApi'] ? { serverApi: spec['serverApi'] } : {}),
  })
  const events = recordEvents(client, spec)
  return { client, events }
}

function withOptions(uri: string, options: Document): string {
  const url = new URL(uri.replace(/^mongodb(\+srv)?:\/\/[^/]+/, 'mongodb$1://host'))
  for (const [name, value] of Object.entries(options)) url.searchParams.set(name, String(value))
  const [start = ''] = /^[^/]+\/\/[^/]+/.exec(uri) ?? []
  return `${start}${url.pathname || '/'}${url.search}`
}

// The first letter is a capital in the format before the unified one.
function toMode(mode: string): ReadPreferenceMode {
  return `${mode.charAt(0).toLowerCase()}${mode.slice(1)}` as ReadPreferenceMode
}

const converters: Record<string, (value: Document) => unknown> = {
  readPreference: (value) =>
    new ReadPreference(toMode(value['mode']), value['tagSets'], {
      maxStalenessSeconds: value['maxStalenessSeconds'],
    }),
  writeConcern: ({ journal, wtimeoutMS, ...rest }) => ({
    ...rest,
    ...(journal === undefined ? {} : { j: journal }),
    ...(wtimeoutMS === undefined ? {} : { wtimeoutMS }),
  }),
  defaultTransactionOptions: (value) => toDriverOptions(value),
}

function toDriverOptions(args: Document): Document {
  return Object.fromEntries(
    Object.entries(args).map(([name, value]) => [name, converters[name]?.(value) ?? value]),
  )
}
