import { MongoClient } from 'mongodb'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openTestServer, type TestServer } from '../server.ts'
import { judgeCase, listCaseFiles, readCases } from './read-cases.ts'

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

describe.each(listCaseFiles())('%s', (file) => {
  it.for(readCases(file))('$name', async (row, { skip }) => {
    skip(row.embedded === true && !server.isEmbedded, 'only the embedded database does this')
    const { found, expected } = await judgeCase(client.db('embedded_cases'), row)
    expect(found).toEqual(expected)
  })
})
