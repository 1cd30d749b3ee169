// @ts-check
// The whole gate: every check is run, even after one has failed, and counted at the end.
// Usage: node scripts/check.js [--quick]   (--quick leaves out other versions of Node and e2e)
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync, rmSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const results = 'node_modules/.cache/test-results.json'
const packages = ['packages/core', 'packages/cli', 'packages/embedded-mongo']
const libraries = ['packages/core', 'packages/embedded-mongo']
const quick = process.argv.includes('--quick')

/** @type {[name: string, command: string, args: string[]][]} */
const checks = [
  ['lock file', 'node', ['scripts/check-lock.js']],
  ['format', 'npx', ['oxfmt', '--check']],
  ['lint', 'npx', ['oxlint', '--deny-warnings']],
  ['unused code', 'npx', ['knip']],
  ['types', 'npx', ['tsc', '--noEmit']],
  ['build', 'npm', ['run', 'build']],
  ...packages.map((folder) => check(`publint ${folder}`, ['publint', '--strict', folder])),
  ...packages.map((folder) =>
    check(`attw ${folder}`, ['attw', '--pack', folder, '--profile', 'esm-only']),
  ),
]
if (!quick) {
  checks.push(
    ['faults', 'npm', ['run', 'faults']],
    ['speed', 'node', ['benchmarks/http/gate.js']],
    ['end to end', 'npm', ['run', 'e2e']],
    ['tests on Node 26', 'node', ['scripts/test-on-node.js', '26']],
    // Between the oldest and the newest: what runs in a service.
    [
      'tests on Node 22 and 24',
      'node',
      ['scripts/test-on-node.js', '22', '24', '--', ...libraries],
    ],
  )
}

rmSync(`${root}/${results}`, { force: true })
const reporters = ['--reporter=default', '--reporter=json', `--outputFile=${results}`]
run('tests', 'npm', ['test', '--', ...reporters])
const tests = readTestResults()

const failed = checks.filter((entry) => !run(...entry)).map(([name]) => name)
for (const name of failed) console.log(`failed: ${name}`)
console.log(
  `${tests.passed + checks.length - failed.length} passed, ${tests.failed + failed.length} failed`,
)
process.exitCode = tests.failed + failed.length > 0 ? 1 : 0

/**
 * @param {string} name
 * @param {string[]} args
 * @returns {[string, string, string[]]}
 */
function check(name, args) {
  return [name, 'npx', args]
}

/**
 * @param {string} name
 * @param {string} command
 * @param {string[]} args
 */
function run(name, command, args) {
  console.log(`\n# ${name}`)
  const start = performance.now()
  const { status } = spawnSync(command, args, { cwd: root, stdio: 'inherit' })
  console.log(
    `# ${name}: ${status === 0 ? 'ok' : 'FAILED'} in ${((performance.now() - start) / 1000).toFixed(1)} s`,
  )
  return status === 0
}

// No file means that the runner itself has failed: that is one failure, not none.
function readTestResults() {
  if (!existsSync(`${root}/${results}`)) return { passed: 0, failed: 1 }
  const { numPassedTests, numFailedTests, success } = JSON.parse(
    readFileSync(`${root}/${results}`, 'utf8'),
  )
  return { passed: numPassedTests, failed: success ? 0 : Math.max(1, numFailedTests) }
}
