// @ts-check
// Runs every check, even after one has failed, and prints the number of passed and failed ones. The last
// output of each failed check is repeated at the end of the log. Requires `npm run build`.
// Usage: node scripts/check/run.js [--quick]   (--quick skips other versions of Node and end-to-end tests)
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync, rmSync, statSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { readManifest } from '../release/packages.js'
import { toolPath } from './tool-path.js'

const root = fileURLToPath(new URL('../..', import.meta.url))
const results = 'node_modules/.cache/test-results.json'
const longResults = 'node_modules/.cache/long-test-results.json'
const endToEndResults = 'node_modules/.cache/end-to-end-results.json'
const libraries = [
  'packages/core',
  'packages/client',
  'packages/embedded-mongo',
  'packages/jobs',
  'packages/mcp',
  'packages/openapi-diff',
  'packages/sign-in',
  'packages/webhooks',
]
const packages = [...libraries, 'packages/cli']
// What Node does differently from version to version: HTTP, streams, sockets, files and modules. Its tests run on the
// newest version here; the workflow runs `npm test` on every supported one.
const dependentOnNode = [
  'packages/client/',
  'packages/core/src/lib/fast/',
  'packages/core/src/lib/http/',
  'packages/core/src/lib/lifecycle/',
  'packages/core/src/lib/response/',
  'packages/core/test/express/',
  'packages/core/test/golden/',
  'packages/core/test/pipeline/',
  'packages/core/test/uploads/',
  'packages/embedded-mongo/src/lib/host/',
  'packages/embedded-mongo/src/lib/storage/',
  'packages/embedded-mongo/src/lib/transfer/',
  'packages/embedded-mongo/src/lib/wire/',
  'checks/test/express/',
]
const quick = process.argv.includes('--quick')
const endLength = 8_000
// Twice as fast as the version that builds the packages.
const tsc = 'checks/node_modules/typescript-7/bin/tsc'

/** @typedef {[name: string, command: string, args: string[]]} Check */

/** @type {Check[]} */
const staticChecks = [
  ['lock file', 'node', ['scripts/check/lock.js']],
  // The client of the blog has the layout of the built-in formatter, which differs in long unions.
  ['format', 'oxfmt', ['--check', '!examples/blog/src/client.ts']],
  ['lint', 'oxlint', ['--deny-warnings']],
  ['terms', 'node', ['scripts/check/words.js']],
  ['comments', 'node', ['scripts/check/tsdoc.js']],
  ['unused code', 'knip', ['--config', 'checks/knip.json']],
  ['types', 'node', [tsc, '--noEmit', '-p', 'checks', '--checkers', '2']],
  ['types of the example', 'tsc', ['--noEmit', '-p', 'examples/own-shapes']],
  ...packages.flatMap((folder) => checkPacked(folder)),
]
/** @type {Check[]} */
const faults = quick ? [] : [['faults', 'npm', ['run', 'faults']]]
/** @type {Check[]} */
const longChecks = quick
  ? []
  : [
      [
        'tests on MongoDB',
        'npm',
        ['run', 'test:mongo', '--', '--results', results, '--results', longResults],
      ],
      ['speed', 'node', ['benchmarks/http/gate.js']],
      ['end to end', 'npm', ['run', 'e2e', '--', ...reporters(endToEndResults)]],
      ['tests on Node 26', 'node', ['scripts/check/on-node.js', '26', '--', ...dependentOnNode]],
    ]

const env = {
  ...process.env,
  PATH: toolPath(),
  ...(process.stdout.isTTY ? {} : { NO_COLOR: '1' }),
}

for (const file of [results, longResults]) rmSync(`${root}/${file}`, { force: true })
/** @type {{ name: string, end: string }[]} */
const failed = []
let skipped = 0
// The command of the README, in a clean clone before anything else is installed.
await run('tests', 'npm', ['test', '--', ...reporters(results)])
installChecks()
if (!quick) execFileSync('node', ['scripts/check/clients.js'], { cwd: root, stdio: 'inherit' })
const longProjects = ['--project', 'checks', '--project', 'system']
await run('long tests', 'npx', ['vitest', 'run', ...longProjects, ...reporters(longResults)])
const tests = [results, longResults].map(readTestResults)
const passedTests = sum(tests.map((own) => own.passed))
const failedTests = sum(tests.map((own) => own.failed))
// The tests are counted individually.
const failedRuns = tests.filter((own) => own.failed > 0).length
// Beside each other: the test of faults mostly waits.
await Promise.all([runAll(staticChecks), runAll(faults)])
await runAll(longChecks)

for (const { name, end } of failed) console.log(`\n# ${name} failed, with\n${end}`)
for (const { name } of failed) console.log(`failed: ${name}`)
const checkCount = staticChecks.length + faults.length + longChecks.length
const failedChecks = failed.length - failedRuns
console.log(
  `${passedTests + checkCount - failedChecks} passed, ${failedTests + failedChecks} failed` +
    (skipped > 0 ? `, ${skipped} skipped` : ''),
)
process.exitCode = failed.length > 0 ? 1 : 0

// What only the gate needs has its own lock, so that the repository is installed without it.
function installChecks() {
  const installed = `${root}/checks/node_modules/.package-lock.json`
  const isCurrent =
    existsSync(installed) &&
    statSync(installed).mtimeMs >= statSync(`${root}/checks/package-lock.json`).mtimeMs
  if (isCurrent) return
  const args = ['ci', '--ignore-scripts', '--no-audit', '--no-fund']
  execFileSync('npm', ['--prefix', `${root}/checks`, ...args], { stdio: 'inherit' })
}

/** @param {string} file */
function reporters(file) {
  return ['--reporter=default', '--reporter=json', `--outputFile=${file}`]
}

/**
 * @param {string} folder
 * @returns {Check[]}
 */
function checkPacked(folder) {
  const { main = '' } = readManifest(path.join(root, folder))
  // Where the main module can be required, other entry points are still modules only.
  const profile = main.endsWith('.cjs')
    ? ['--profile', 'node16', '--ignore-rules', 'cjs-resolves-to-esm']
    : ['--profile', 'esm-only']
  return [
    [`publint ${folder}`, 'publint', ['--strict', folder]],
    [`attw ${folder}`, 'attw', ['--pack', folder, ...profile]],
  ]
}

/** @param {Check[]} checks */
async function runAll(checks) {
  for (const check of checks) await run(...check)
}

/**
 * @param {string} name
 * @param {string} command
 * @param {string[]} args
 */
async function run(name, command, args) {
  console.log(`\n# ${name}`)
  const start = performance.now()
  const child = spawn(command, args, { cwd: root, env, stdio: ['inherit', 'pipe', 'pipe'] })
  let end = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text) => {
      process.stdout.write(text)
      end = (end + text).slice(-endLength)
    })
  }
  const [status] = await once(child, 'close')
  const seconds = ((performance.now() - start) / 1000).toFixed(1)
  console.log(`# ${name}: ${status === 0 ? 'ok' : 'FAILED'} in ${seconds} s`)
  if (status !== 0) failed.push({ name, end })
  skipped += Number(/(\d+) tests skipped\.$/m.exec(end)?.[1] ?? 0)
}

/** @param {number[]} numbers */
function sum(numbers) {
  return numbers.reduce((total, number) => total + number, 0)
}

/**
 * If there is no file, the test runner itself has failed; this counts as one failure.
 * @param {string} file
 */
function readTestResults(file) {
  if (!existsSync(`${root}/${file}`)) return { passed: 0, failed: 1 }
  const { numPassedTests, numFailedTests, success } = JSON.parse(
    readFileSync(`${root}/${file}`, 'utf8'),
  )
  return { passed: numPassedTests, failed: success ? 0 : Math.max(1, numFailedTests) }
}
