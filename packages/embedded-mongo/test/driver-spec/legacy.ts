import { type Document } from 'mongodb'
import {
  type CollectionData,
  type EntitySpec,
  type Operation,
  type SpecFile,
  type SpecTest,
} from './spec-file.ts'

interface Names {
  databaseName: string
  collectionName: string
}

/**
 * Older copies of the specifications hold some tests in the format that came before the unified one.
 * @returns The same tests in the unified format; undefined for another kind of file.
 */
export function fromLegacy(file: Document, name: string): SpecFile | undefined {
  const tests = file['tests']
  const isKnown = Array.isArray(tests) && tests.every((test) => test.operations ?? test.operation)
  if (!isKnown || file['data'] === undefined) return undefined
  const names = {
    databaseName: file['database_name'] ?? 'legacy-tests',
    collectionName: file['collection_name'] ?? name.replace(/\W/g, '_'),
  }
  return {
    runOnRequirements: (file['runOn'] ?? []).map(({ topology, ...rest }: Document) =>
      topology === undefined ? rest : { ...rest, topologies: topology },
    ),
    initialData: toData(file['data'], names),
    tests: tests.map((test: Document) => toTest(test, names, file['bucket_name'])),
  }
}

function toData(data: Document | Document[], names: Names): CollectionData[] {
  if (Array.isArray(data)) return [{ ...names, documents: data }]
  return Object.entries(data).map(([collectionName, documents]) => ({
    databaseName: names.databaseName,
    collectionName,
    documents: documents as Document[],
  }))
}

function toTest(test: Document, names: Names, bucketName: string | undefined): SpecTest {
  const entities = toEntities(test, names, bucketName)
  const given: Document[] = test['operations'] ?? [{ ...test['operation'], ...test['outcome'] }]
  const operations = given.map((operation) => toOperation(operation, entities))
  const ends = ['session0', 'session1'].map((object) => ({ name: 'endSession', object }))
  const { description, skipReason, failPoint, expectations, outcome } = test
  return {
    description,
    ...(skipReason === undefined ? {} : { skipReason }),
    operations: [
      { name: 'createEntities', object: 'testRunner', arguments: { entities } },
      ...(failPoint ? [setFailPoint(failPoint)] : []),
      ...operations,
      ...ends,
    ],
    ...(expectations && {
      expectEvents: [{ client: 'client0', events: expectations.map(toEvent) }],
    }),
    ...(outcome?.collection && { outcome: [toOutcome(outcome.collection, names)] }),
  }
}

function toEntities(test: Document, names: Names, bucketName: string | undefined): EntitySpec[] {
  const database = 'database0'
  const session = (id: string): EntitySpec => ({
    session: { id, client: 'client0', sessionOptions: test['sessionOptions']?.[id] ?? {} },
  })
  return [
    {
      client: {
        id: 'client0',
        uriOptions: test['clientOptions'] ?? {},
        observeEvents: ['commandStartedEvent'],
      },
    },
    { client: { id: 'failPointClient' } },
    { database: { id: database, client: 'client0', databaseName: names.databaseName } },
    { collection: { id: 'collection0', database, collectionName: names.collectionName } },
    {
      bucket: { id: 'gridfsbucket0', database, bucketOptions: { bucketName: bucketName ?? 'fs' } },
    },
    session('session0'),
    session('session1'),
  ]
}

function setFailPoint(failPoint: Document): Operation {
  return {
    name: 'failPoint',
    object: 'testRunner',
    arguments: { client: 'failPointClient', failPoint },
  }
}

const legacyNames: Readonly<Record<string, string>> = {
  download_by_name: 'downloadByName',
  listCollectionObjects: 'listCollections',
  listDatabaseObjects: 'listDatabases',
  watch: 'createChangeStream',
}

// An operation with options of its collection or database gets a separate entity.
function toOperation(operation: Document, entities: EntitySpec[]): Operation {
  const { name, object = 'collection', collectionOptions, databaseOptions } = operation
  const given = operation['arguments'] ?? {}
  const args = object === 'testRunner' ? toNames(given) : toArguments(given, entities)
  return {
    name: legacyNames[name] ?? name,
    object:
      collectionOptions || databaseOptions
        ? addVariant(entities, object, { collectionOptions, databaseOptions })
        : toObject(object),
    arguments: name === 'createChangeStream' || name === 'watch' ? { pipeline: [], ...args } : args,
    ...toExpectation(operation),
  }
}

function toObject(object: string): string {
  return /^testRunner$|\d$/.test(object) ? object : `${object}0`
}

function addVariant(entities: EntitySpec[], kind: string, options: Document): string {
  const id = `${kind}${entities.length}`
  const original = entities.find((spec) => spec[kind]?.id === `${kind}0`)?.[kind]
  entities.push({ [kind]: { ...original, ...options, id } })
  return id
}

function toNames({ database, collection, index, ...args }: Document): Document {
  return { ...args, databaseName: database, collectionName: collection, indexName: index }
}

function toArguments(
  { options, callback, requests, ...args }: Document,
  entities: EntitySpec[],
): Document {
  return {
    ...args,
    ...options,
    ...(requests && {
      requests: requests.map((request: Document) => ({ [request['name']]: request['arguments'] })),
    }),
    ...(callback && {
      callback: callback.operations.map((operation: Document) => toOperation(operation, entities)),
    }),
  }
}

const errorFields = new Set([
  'errorContains',
  'errorCode',
  'errorCodeName',
  'errorLabelsContain',
  'errorLabelsOmit',
])

function toExpectation({ result, error }: Document): Partial<Operation> {
  const isError =
    typeof result === 'object' &&
    result !== null &&
    Object.keys(result).some((k) => errorFields.has(k))
  if (isError) return { expectError: result }
  if (error === true) return { expectError: { isError: true } }
  return result === undefined ? {} : { expectResult: result }
}

function toEvent({ command_started_event: event }: Document): Document {
  const { command, command_name: commandName, database_name: databaseName } = event
  return {
    commandStartedEvent: {
      command: toPattern(command),
      ...(commandName === undefined ? {} : { commandName }),
      ...(databaseName === undefined ? {} : { databaseName }),
    },
  }
}

// In the commands null means no such field, 42 any number or time, and a session's name its id.
function toPattern(command: Document): Document {
  return Object.fromEntries(
    Object.entries(command).map(([name, value]) => {
      if (value === null) return [name, { $$exists: false }]
      if (name === 'lsid') return [name, { $$sessionLsid: value }]
      if (name === 'getMore' && value === 42) return [name, { $$type: 'long' }]
      if (name === 'readConcern' && value.afterClusterTime === 42) {
        return [name, { ...value, afterClusterTime: { $$exists: true } }]
      }
      if (name === 'recoveryToken') return [name, { $$exists: true }]
      return [name, value]
    }),
  )
}

function toOutcome({ name, data }: Document, names: Names): CollectionData {
  return { ...names, ...(name === undefined ? {} : { collectionName: name }), documents: data }
}
