// @ts-check
// Writes docs/security.md from what the tests say: a requirement holds when the tests that name
// its row have passed. Run after the tests: node scripts/write-security-table.js <results.json> [--check]
import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** @typedef {{ id: string, priority: string, group: string, requirement: string }} Row */
/** @typedef {{ fullName: string, status: string }} Assertion */

const [results = '', flag] = process.argv.slice(2)
const target = fileURLToPath(new URL('../docs/security.md', import.meta.url))
/** @type {Row[]} */
const rows = JSON.parse(readFileSync(new URL('security-rows.json', import.meta.url), 'utf8'))
/** @type {{ testResults: { assertionResults: Assertion[] }[] }} */
const { testResults } = JSON.parse(readFileSync(results, 'utf8'))
const tests = testResults.flatMap((file) => file.assertionResults)
const text = toDocument()

if (flag !== '--check') writeFileSync(target, text)
else if (readFileSync(target, 'utf8') !== text) {
  console.error('docs/security.md is not what the tests say; run npm run docs:security.')
  process.exitCode = 1
}

function toDocument() {
  const groups = [...new Set(rows.map(({ group }) => group))]
  const tables = groups.map((group) => {
    const lines = rows.filter((row) => row.group === group).map(toLine)
    return `## ${group}\n\n| Row | Priority | Requirement | Tests |\n| --- | --- | --- | --- |\n${lines.join('\n')}`
  })
  return `# Security requirements

What the framework, the command line and every generated service must meet. Each row names the tests
that prove it: their names begin with its id. This page is written by \`scripts/write-security-table.js\`
from a run of the tests on the embedded database; with \`MONGODB_URI\` set, the same tests run on a real
MongoDB. A row without a test is not claimed. P0 blocks a release, P1 is needed to be best in class.

${tables.join('\n\n')}
`
}

/** @param {Row} row */
function toLine({ id, priority, requirement }) {
  const own = tests.filter(({ fullName }) => fullName.includes(id))
  const passed = own.filter(({ status }) => status === 'passed')
  const state = own.length === 0 ? '–' : passed.length === own.length ? 'pass' : 'FAIL'
  return `| ${id} | ${priority} | ${requirement} | ${state} |`
}
