import { readdirSync, readFileSync } from 'node:fs'
import { EJSON } from 'bson'
import { type Document, MongoClient } from 'mongodb'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openTestServer, type TestServer } from './open-test-server.ts'
import { type Case, runCase, show } from './run-case.ts'

// Each file holds a row a line, in Extended JSON; a first line without a name gives documents for all.
const folder = new URL('.', import.meta.url)
const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) =>
  file.endsWith('.ndjson'),
)

let server: TestServer
let client: MongoClient

beforeAll(async () => {
  server = await openTestServer()
  client = await MongoClient.connect(server.uri)
  process.stdout.write(`The cases run against ${server.name}.\n`)
})

afterAll(async () => {
  await client.close()
  await server.stop()
})

describe.each(files.toSorted())('%s', (file) => {
  const rows = readFileSync(new URL(file, folder), 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => parseRow(line))
  const shared = rows[0]?.name === undefined ? rows.shift() : undefined

  it.each(rows as Case[])('$name', async (row) => {
    const db = client.db('embedded_cases')
    const found = toOutcome(await runCase(db, { ...shared, ...row }), row)
    const { code, contains } = row.error ?? {}
    expect(found).toEqual(
      row.error ? { code: Number(code), contains } : { result: show(row.expect) },
    )
  })
})

function toOutcome({ result, error }: Awaited<ReturnType<typeof runCase>>, row: Case): unknown {
  if (error === undefined) return { result: show(isIds(row.expect) ? ids(result) : result) }
  const { contains = '' } = row.error ?? {}
  // A message without the words shows up whole.
  const words = error.message.includes(contains) ? row.error?.contains : error.message
  return { code: Number(error.code), contains: words }
}

// Extended JSON takes the operator $regex for its old way to write a regular expression.
function parseRow(line: string): Partial<Case> {
  return restore(EJSON.parse(line.replaceAll('"$regex"', '"~regex"'), { relaxed: false }))
}

function restore(value: unknown): Partial<Case>
function restore(value: unknown): unknown {
  if (Array.isArray(value)) return value.map((item: unknown) => restore(item))
  if (!isPlain(value)) return value
  const entries = Object.entries(value as Document)
  return Object.fromEntries(
    entries.map(([name, item]) => [name === '~regex' ? '$regex' : name, restore(item)]),
  )
}

function isIds(expected: unknown): boolean {
  return Array.isArray(expected) && expected.length > 0 && !expected.some((item) => isPlain(item))
}

function isPlain(value: unknown): boolean {
  return Object.getPrototypeOf(value ?? 0) === Object.prototype
}

function ids(result: unknown): unknown {
  if (!Array.isArray(result) || !result.every((item: Document) => isPlain(item))) return result
  return result.map((item: Document) => item['_id'] as unknown)
}
