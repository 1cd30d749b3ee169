// Runs the tests that use a database on a MongoDB server, see mongod.ts. Without one it reports their
// number as skipped, counted in the results of earlier runs if `--results` names them.
// Usage: npm run test:mongo -- [--standalone] [--results <file>]... [-- <arguments of Vitest>]
import { spawnSync, type SpawnSyncReturns, type StdioOptions } from 'node:child_process'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { startServer } from './mongod.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const folders = [
  'packages/core/test/auth',
  'packages/core/test/blog',
  'packages/core/test/contract',
  'packages/core/test/faults',
  'packages/core/test/database',
  'packages/core/test/http',
  'packages/core/test/limits',
  'packages/core/test/resource',
  'packages/core/src/lib/limits',
  'packages/embedded-mongo/test/cases',
  'packages/embedded-mongo/test/corpus',
  'packages/embedded-mongo/test/driver-spec',
  'packages/embedded-mongo/test/mongoose',
  'checks/test/limits',
  'examples',
]
const { values, positionals } = parseArgs({
  options: { standalone: { type: 'boolean' }, results: { type: 'string', multiple: true } },
  allowPositionals: true,
})
const tests = positionals.length > 0 ? positionals : folders

const server = await startServer({ standalone: values.standalone })
if ('missing' in server) {
  console.log(`No MongoDB server (${server.missing}): ${countTests(values.results)} tests skipped.`)
} else {
  console.log(`Tests on ${server.name}`)
  process.exitCode = run(server.uri)
  await server.stop()
}

function run(uri: string): number {
  const env = { ...process.env, MONGODB_URI: uri }
  return vitest(['run', ...tests], 'inherit', env).status ?? 1
}

interface Results {
  readonly testResults: readonly { name: string; assertionResults: readonly unknown[] }[]
}

// Counts them in files of Vitest's reporter `json`, or lists them.
function countTests(results: readonly string[] | undefined): number {
  if (results === undefined) {
    const { stdout } = vitest(['list', ...tests], 'pipe')
    return stdout.split('\n').filter((line) => line.includes(' > ')).length
  }
  return results
    .flatMap((file) => {
      const { testResults }: Results = JSON.parse(readFileSync(file, 'utf8'))
      return testResults
    })
    .filter(({ name }) => tests.some((folder) => path.relative(root, name).startsWith(folder)))
    .flatMap((file) => file.assertionResults).length
}

function vitest(
  args: readonly string[],
  stdio: StdioOptions,
  env = process.env,
): SpawnSyncReturns<string> {
  const options = { cwd: root, env, stdio, encoding: 'utf8', maxBuffer: 1e9 } as const
  return spawnSync('npx', ['vitest', ...args], options)
}
