import { type Document, MongoClient } from 'mongodb'
import { createEntities, type Entities, type SavedKind } from './entities.ts'
import { checkError, checkEvents, checkResult, UnexpectedError } from './expectations.ts'
import { runOnEntity } from './operations.ts'
import { type CollectionData, type Operation, type SpecFile, type SpecTest } from './spec-file.ts'
import { runTestOperation } from './test-runner-operations.ts'

interface Run {
  entities: Entities
  setup: MongoClient
}

/** Runs one test on the server; rejects when it fails. */
export async function runSpecTest(uri: string, file: SpecFile, test: SpecTest): Promise<void> {
  const setup = await MongoClient.connect(uri)
  const entities = createEntities(uri)
  try {
    for (const data of file.initialData ?? []) await fill(setup, data)
    entities.create(file.createEntities ?? [])
    for (const operation of test.operations) await runOperation(operation, { entities, setup })
    for (const expected of test.expectEvents ?? []) checkEvents(expected, entities)
    for (const data of test.outcome ?? []) await checkOutcome(setup, data, entities)
  } finally {
    await entities.close()
    await endFailPoints(setup, test)
    await setup.close()
  }
}

async function fill(setup: MongoClient, data: CollectionData): Promise<void> {
  const { databaseName, collectionName, documents, createOptions } = data
  const writeConcern = { w: 'majority' } as const
  const db = setup.db(databaseName, { writeConcern })
  await db.dropCollection(collectionName)
  if (documents.length === 0 || createOptions)
    await db.createCollection(collectionName, createOptions)
  if (documents.length > 0) await db.collection(collectionName).insertMany(documents)
}

// Rejects with what the driver gave, expected or not, which a transaction's callback has to pass on.
async function runOperation(operation: Operation, run: Run): Promise<void> {
  const outcome = await attempt(operation, run)
  const { expectError, expectResult, saveResultAsEntity: id } = operation
  if (operation.ignoreResultAndError === true) return
  if (expectError) {
    if (!('error' in outcome)) throw new UnexpectedError(`${operation.name} gave no error`)
    checkError(expectError, outcome.error, run.entities)
    return
  }
  if ('error' in outcome) throw outcome.error
  if (expectResult !== undefined) checkResult(expectResult, outcome.result, run.entities)
  if (id !== undefined) run.entities.save(id, outcome.result, kindOf(operation.name))
}

type Outcome = { result: unknown } | { error: unknown }

async function attempt(operation: Operation, run: Run): Promise<Outcome> {
  try {
    if (operation.object === 'testRunner') {
      await runTestOperation(operation, run)
      return { result: undefined }
    }
    const runAll = async (operations: Operation[]): Promise<void> => {
      for (const inner of operations) await runInCallback(inner, run)
    }
    return { result: await runOnEntity(operation, { entities: run.entities, runAll }) }
  } catch (error) {
    if (error instanceof UnexpectedError) throw error
    return { error }
  }
}

async function runInCallback(operation: Operation, run: Run): Promise<void> {
  const outcome = await attempt(operation, run)
  if (!('error' in outcome)) {
    if (operation.expectError) throw new UnexpectedError(`${operation.name} gave no error`)
    if (operation.expectResult !== undefined) {
      checkResult(operation.expectResult, outcome.result, run.entities)
    }
    return
  }
  if (operation.expectError) checkError(operation.expectError, outcome.error, run.entities)
  throw outcome.error
}

function kindOf(name: string): SavedKind {
  if (name === 'createCollection') return 'collection'
  if (name === 'createChangeStream') return 'changeStream'
  return /^create\w+Cursor$/.test(name) ? 'cursor' : 'value'
}

async function checkOutcome(
  setup: MongoClient,
  { databaseName, collectionName, documents }: CollectionData,
  entities: Entities,
): Promise<void> {
  const collection = setup.db(databaseName).collection(collectionName)
  const options = { readConcern: { level: 'local' }, readPreference: 'primary' } as const
  const found = await collection.find({}, options).sort({ _id: 1 }).toArray()
  checkResult({ outcome: documents }, { outcome: found }, entities)
}

// A fail point may outlive its test, and would fail the next.
async function endFailPoints(setup: MongoClient, { operations }: SpecTest): Promise<void> {
  const names = operations
    .filter(({ name }) => name === 'failPoint')
    .map((operation): Document => operation.arguments?.['failPoint'])
  for (const { configureFailPoint } of names) {
    await setup.db('admin').command({ configureFailPoint, mode: 'off' })
  }
}
