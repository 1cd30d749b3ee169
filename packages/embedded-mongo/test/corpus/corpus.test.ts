import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { connectWire, type Wire } from '../differential/wire.ts'
import { openTestServer, type TestServer } from '../server.ts'
import { listThemes, readTheme } from './read-corpus.ts'
import { runCorpusCase } from './run-corpus.ts'

let server: TestServer
let wire: Wire
let isReplicaSet: boolean

beforeAll(async () => {
  server = await openTestServer({ port: 0 })
  wire = await connectWire(server.uri)
  isReplicaSet = 'setName' in (await wire.run('admin', { hello: 1 }))
})

afterAll(async () => {
  wire.close()
  await server.stop()
})

describe.each(listThemes())('%s', (theme) => {
  it.for(readTheme(theme))('$name', async (item, { skip }) => {
    skip(item.replicaSet === true && !isReplicaSet, 'needs a replica set')
    const faults = await runCorpusCase({ wire, isEmbedded: server.isEmbedded }, item)
    expect(faults.join('\n')).toBe('')
  })
})

describe('the corpus', () => {
  const cases = listThemes().flatMap((theme) => readTheme(theme))

  it('has more than 500 cases, each with its own name and an expectation', () => {
    expect(cases.length).toBeGreaterThan(500)
    expect(new Set(cases.map(({ name }) => name)).size).toBe(cases.length)
    const checks = ['gives', 'reply', 'error', 'leaves'] as const
    const empty = cases.filter((item) =>
      [item, ...(item.steps ?? [])].every((part) => checks.every((name) => !(name in part))),
    )
    expect(empty.map(({ name }) => name)).toEqual([])
  })
})
