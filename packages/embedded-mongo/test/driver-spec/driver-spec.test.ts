import { describe, expect, it } from 'vitest'
import { startEmbeddedMongo } from '../../src/index.ts'
import { findDifference } from './differences.ts'
import { findUnmet, readServerFacts } from './requirements.ts'
import { runSpecTest } from './run-spec-test.ts'
import { type NamedSpecFile, readSpecFiles, type SpecTest } from './spec-file.ts'

const folder = process.env['MONGODB_SPEC_TESTS'] ?? ''
const noFiles = 'MONGODB_SPEC_TESTS names no folder of JSON files'

const files = folder === '' ? [] : readSpecFiles(folder)
if (folder !== '' && files.length === 0) {
  throw new Error(`MONGODB_SPEC_TESTS: ${folder} holds no folder of specification tests`)
}
const uri = files.length === 0 ? undefined : await openServer()
const facts = uri === undefined ? undefined : await readServerFacts(uri)

it.skipIf(files.length === 0)(
  `the tests of the MongoDB drivers${files.length === 0 ? ` (skipped: ${noFiles})` : ''}`,
  () => {
    expect(files).not.toHaveLength(0)
  },
)

describe.each(files.map((file) => [file.path, file] as const))('%s', (_path, file) => {
  const rows = file.tests.map((test) => ({ test, reason: findSkip(file, test) }))
  const skipped = rows.filter(({ reason }) => reason !== undefined)
  const run = rows.filter(({ reason }) => reason === undefined)

  // oxlint-disable-next-line vitest/no-disabled-tests, vitest/expect-expect -- each has its reason
  it.skip.each(skipped.map(({ test, reason }) => [`${test.description} (skipped: ${reason})`]))(
    '%s',
    () => {},
  )

  // oxlint-disable-next-line vitest/expect-expect -- rejects when the test fails
  it.each(run.map(({ test }) => [test.description, test] as const))('%s', (_name, test) =>
    runSpecTest(uri ?? '', file, test),
  )
})

function findSkip(file: NamedSpecFile, test: SpecTest): string | undefined {
  if (facts === undefined) return noFiles
  // Another driver's gap is not this one's.
  const isOthers = /GODRIVER|string-only/.test(test.skipReason ?? '')
  if (test.skipReason !== undefined && !isOthers) return test.skipReason
  if (test.expectLogMessages) return "the driver's log is not tested here"
  return (
    findUnmet(file.runOnRequirements, facts) ??
    findUnmet(test.runOnRequirements, facts) ??
    findDifference(file.path, test, facts.isEmbedded)
  )
}

// The embedded database is a replica set, which its usual address hides from the driver.
async function openServer(): Promise<string> {
  const given = process.env['MONGODB_TEST_URI'] ?? ''
  if (given !== '') return given
  const embedded = await startEmbeddedMongo({ storage: { memory: true } })
  return embedded.uri.replace('directConnection=true', 'replicaSet=rs0')
}
