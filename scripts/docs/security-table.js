// @ts-check
// Writes the results of a test run into the table of docs/security.md.
// Usage: node scripts/docs/security-table.js [results.json ...]   (later files override earlier ones)
// Without files, it uses the results that `npm run check` has written.
import { readFileSync, writeFileSync } from 'node:fs'

const document = new URL('../../docs/security.md', import.meta.url)
const cache = 'node_modules/.cache'
const written = [`${cache}/test-results.json`, `${cache}/end-to-end-results.json`]
const named = process.argv.slice(2)
const files = named.length > 0 ? named : written

/** @typedef {{ fullName: string, status: string }} Assertion */
/** @type {Map<string, Assertion>} */
const byName = new Map()
for (const file of files) {
  /** @type {{ testResults: { assertionResults: Assertion[] }[] }} */
  const results = JSON.parse(readFileSync(file, 'utf8'))
  for (const assertion of results.testResults.flatMap((suite) => suite.assertionResults)) {
    const hasRun = assertion.status === 'passed' || assertion.status === 'failed'
    if (hasRun) byName.set(assertion.fullName, assertion)
  }
}
const tests = [...byName.values()]
const database = process.env['MONGODB_URI'] ? 'MongoDB server' : 'embedded database'
const where = `${database}, Node ${process.versions.node.split('.')[0]}`

const lines = readFileSync(document, 'utf8')
  .split('\n')
  .map((line) => {
    if (line.startsWith('Last run: ')) return `Last run: ${where}.`
    const [row, guarantee] = line.split('|').slice(1, 3)
    if (row === undefined || !/^ [A-Z]{2,4}-\d\d /.test(row)) return line
    return `|${row}|${guarantee}| ${judge(row.trim())} |`
  })
writeFileSync(document, lines.join('\n'))

const open = lines.flatMap((line) => {
  const [, row, , verdict] = /^\| ([A-Z]{2,4}-\d\d) .*?\|(.*?)\| (.*?) \|/.exec(line) ?? []
  return row === undefined || /^\d+ pass$/.test(verdict ?? '') ? [] : [`${row}: ${verdict}`]
})
if (open.length > 0) {
  process.stderr.write(`Rows without a passing test:\n${open.join('\n')}\n`)
  process.exitCode = 1
}

/**
 * @param {string} row
 * @returns {string}
 */
function judge(row) {
  const own = tests.filter(({ fullName }) => fullName.includes(row))
  if (own.length === 0) return 'none'
  const failed = own.filter(({ status }) => status === 'failed').length
  return failed === 0 ? `${own.length} pass` : `**${failed} of ${own.length} fail**`
}
