import { hostname } from 'node:os'
import { Long } from 'bson'
import { asDouble } from '../bson/arithmetic.ts'
import { type Doc, isDocument } from '../bson/document.ts'
import { isCapped } from '../catalog/capped.ts'
import { countsOf, findCollection, listCollections } from '../catalog/catalog.ts'
import { CommandError, notImplemented } from '../errors/command-error.ts'
import { type Index } from '../catalog/collection.ts'
import { indexPrefix, prefixRange } from '../storage/keys.ts'
import { scan } from '../storage/store.ts'
import { type View } from '../storage/view.ts'
import { type Command, type CommandContext, requireNamespace } from './context.ts'
import { describeMember, version } from './handshake.ts'
import { describeIndex } from './indexes.ts'
import { requireKnownFields, toDocument } from './requirements.ts'

export const serverStatus: Command = {
  options: ['repl', 'metrics', 'locks', 'recordStats', 'opcounters', 'wiredTiger', 'tcmalloc'],
  run(context) {
    const { server, now } = context
    const { heapUsed, rss } = process.memoryUsage()
    return {
      host: hostname(),
      version: version,
      process: 'embedded-mongo',
      pid: process.pid,
      uptime: (now.getTime() - server.startedAt.getTime()) / 1000,
      localTime: now,
      mem: {
        bits: 64,
        resident: Math.round(rss / 1024 / 1024),
        heap: Math.round(heapUsed / 1024 / 1024),
      },
      connections: { ...server.connections },
      opcounters: server.usage.operations,
      repl: describeMember(context),
      transactions: { currentOpen: Long.fromNumber(server.transactions.open().length) },
      metrics: { cursor: { open: { total: server.cursors.size } } },
      storageEngine: { name: 'embedded', persistent: server.isPersistent },
    }
  },
}

// Of each collection, in microseconds.
export const top: Command = {
  options: [],
  adminOnly: true,
  run({ view, server }) {
    const collections = listCollections(view).map(({ namespace }) => [
      namespace,
      server.usage.ofCollection(namespace),
    ])
    return {
      totals: { note: 'all times in microseconds', ...Object.fromEntries(collections) },
    }
  },
}

export const dbStats: Command = {
  options: ['scale', 'freeStorage'],
  run({ view, database, body }) {
    const collections = listCollections(view, database)
    const scale = Number(body['scale'] ?? 1)
    const counts = collections.map(({ id }) => countsOf(view, id))
    const objects = sum(counts.map(({ documents }) => documents))
    const dataSize = sum(counts.map(({ bytes }) => bytes))
    const indexes = collections.flatMap((collection) => collection.indexes)
    const indexSize = sum(indexes.map((index) => sizeOf(view, index)))
    return {
      db: database,
      collections: collections.length,
      views: 0,
      objects,
      avgObjSize: objects === 0 ? 0 : dataSize / objects,
      dataSize: dataSize / scale,
      storageSize: dataSize / scale,
      indexes: indexes.length,
      indexSize: indexSize / scale,
      totalSize: (dataSize + indexSize) / scale,
      scaleFactor: scale,
    }
  },
}

export const collStats: Command = {
  options: ['scale'],
  run: (context) => statsOf(context, Number(context.body['scale'] ?? 1)),
}

// The document that an aggregation with the stage $collStats starts from.
export function collStatsStage(context: CommandContext, operand: unknown): Doc {
  const given = toDocument(operand, '$collStats')
  const { storageStats, count } = given
  for (const part of ['latencyStats', 'queryExecStats']) {
    if (given[part] !== undefined) throw notImplemented(`$collStats with ${part}`)
  }
  requireKnownFields(given, '$collStats', ['storageStats', 'count'])
  const namespace = requireNamespace(context)
  if (!findCollection(context.view, namespace)) {
    throw new CommandError('NamespaceNotFound', `ns not found: ${namespace}`)
  }
  const { scale = 1 } = toDocument(storageStats, '$collStats.storageStats')
  const { ns, ...stats } = statsOf(context, Number(scale))
  return {
    ns,
    localTime: context.now,
    ...(storageStats === undefined ? {} : { storageStats: stats }),
    ...(count === undefined ? {} : { count: stats['count'] }),
  }
}

// The documents that an aggregation with the stage $indexStats starts from.
export function indexStatsStage(context: CommandContext, operand: unknown): Doc[] {
  if (!isDocument(operand) || Object.keys(operand).length > 0) {
    throw new CommandError(
      'Location28803',
      'The $indexStats stage specification must be an empty object',
    )
  }
  const { server, view } = context
  const collection = findCollection(view, requireNamespace(context))
  return (collection?.indexes ?? []).map((index) => ({
    name: index.name,
    key: index.pattern,
    host: hostname(),
    accesses: {
      ops: Long.fromNumber(server.usage.ofIndex(index.id)),
      since: server.ids.createdAt(index.id) ?? server.startedAt,
    },
    spec: describeIndex(index),
  }))
}

function statsOf(context: CommandContext, scale: number): Doc {
  const namespace = requireNamespace(context)
  const collection = findCollection(context.view, namespace)
  const { documents, bytes } = collection
    ? countsOf(context.view, collection.id)
    : { documents: 0, bytes: 0 }
  const indexes = collection?.indexes ?? []
  const indexSizes = indexes.map((index) => [index.name, sizeOf(context.view, index)] as const)
  const totalIndexSize = sum(indexSizes.map(([, size]) => size))
  return {
    ns: namespace,
    count: documents,
    size: bytes / scale,
    avgObjSize: documents === 0 ? 0 : bytes / documents,
    storageSize: bytes / scale,
    nindexes: indexes.length,
    indexSizes: Object.fromEntries(indexSizes.map(([name, size]) => [name, size / scale])),
    totalIndexSize: totalIndexSize / scale,
    totalSize: (bytes + totalIndexSize) / scale,
    ...(collection && isCapped(collection)
      ? { capped: true, max: collection.options['max'], maxSize: collection.options['size'] }
      : { capped: false }),
    scaleFactor: scale,
  }
}

// Reads the whole index: its size is not kept.
function sizeOf(view: View, index: Index): number {
  let bytes = 0
  for (const [key, value] of scan(view, prefixRange(indexPrefix(index.id)))) {
    bytes += key.length + value.length
  }
  return bytes
}

// Rewrites the data folder as one snapshot while writes continue.
export const compact: Command = {
  options: ['force', 'freeSpaceTargetMB', 'dryRun'],
  run: ({ server }) => server.store.compact().then(() => ({ fields: { ok: asDouble(1) } })),
}

function sum(numbers: number[]): number {
  return numbers.reduce((total, number) => total + number, 0)
}
