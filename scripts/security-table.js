// @ts-check
// Writes the table of docs/security.md from the results of a test run.
// Usage: npx vitest run packages/core --reporter=json --outputFile=results.json
//        node scripts/security-table.js results.json
import { readFileSync, writeFileSync } from 'node:fs'

const start = '<!-- rows -->'
const end = '<!-- /rows -->'
const document = new URL('../docs/security.md', import.meta.url)
const [file] = process.argv.slice(2)
if (file === undefined) throw new Error('Name the file with the results.')

/** @typedef {{ fullName: string, status: string }} Assertion */
/** @type {{ testResults: { assertionResults: Assertion[] }[] }} */
const results = JSON.parse(readFileSync(file, 'utf8'))
const assertions = results.testResults.flatMap(({ assertionResults }) => assertionResults)
const text = readFileSync(document, 'utf8')
const where = process.env['MONGODB_URI'] ? 'MongoDB server' : 'embedded database'

const lines = text.split('\n').map((line) => {
  const [, row, requirement] = /^\| ((?:TOK|PWD|LOG|REF|AUZ)-\d\d) +\| (.*?) +\|/.exec(line) ?? []
  if (row === undefined || requirement === undefined) return line
  return `| ${row} | ${requirement} | ${describe(row)} |`
})
writeFileSync(document, lines.join('\n'))
process.stdout.write(`${text.includes(start) && text.includes(end) ? 'written' : 'no table'}\n`)

/** @param {string} row */
function describe(row) {
  const own = assertions.filter(
    ({ fullName, status }) => fullName.includes(row) && status !== 'pending',
  )
  if (own.length === 0) return 'no test in this run | |'.slice(0, -2)
  const failed = own.filter(({ status }) => status !== 'passed').length
  const verdict = failed === 0 ? `pass (${own.length})` : `**${failed} of ${own.length} failed**`
  return `${verdict} | ${where}, Node ${process.versions.node.split('.')[0]}`
}
