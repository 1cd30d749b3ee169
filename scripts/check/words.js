// @ts-check
// Rejects terms that have a better standard equivalent, in documentation, sources and tests.
// Usage: node scripts/check/words.js [file ...]   (without files: everything that `checked` selects)
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

// Parts of regular expressions; a space also matches a line break, with or without a comment sign.
/** @type {[term: string, replacement: string][]} */
const terms = [
  ['answer(s|ed|ing)?', 'response; respond, return, send'],
  ['told', 'informed, reported, distinguished'],
  ['tells', 'reports, states, shows'],
  ['whoever', 'anyone who, clients that'],
  ['nobody', 'no one, or name the subject'],
  ['doors?', 'entry point, port'],
  ['behind (the|its) back', 'in the background'],
  ['stands?', 'is, appears'],
  ['hears?( of)?', 'is notified of, receives'],
  ['(?<!there )is no (?!longer|more|less|need|such|match|default|way)', 'is not a'],
  ['(?<!there )are no (?!longer|more|less|match|such)', 'are not'],
  ['of (its|your|their|our|my|his|her) own', 'its own, a separate'],
  ['at the latest', 'no later than, within'],
  ['cures?', 'fix'],
  ['for ever', 'forever, indefinitely'],
  ['is said', 'is logged, is documented'],
  ['in front of it', 'before it'],
]

// The first words of a comment that is a clause without a noun: "What the routes use." These folders are free of them.
const fragment = /(?:\/\/|\/\*\*) (?:What|Those|As if|Such as)\s/g
const whole =
  /packages\/core\/src\/lib\/(?!(?:access|auth|features|migrations|resource|tenants)\/).*(?<!\.test)\.ts$/

// Terms that are right in one place: the file, and the text around the term.
/** @type {[file: string, text: string][]} */
const allowed = []

// Pathspecs of git. The results of benchmarks are generated.
const checked = [
  '*.md',
  'docs/deploy',
  ':(glob)**/.env.example',
  'examples/*.ts',
  ':(glob)packages/*/src/**/*.ts',
  ':(glob)packages/*/test/**/*.ts',
  'scripts/*.js',
  'templates',
  ':(glob)test/**/*.ts',
  ':!benchmarks/results',
  ':!scripts/check/words.js',
  ':!test/check-words.test.ts',
]

const root = fileURLToPath(new URL('../..', import.meta.url))
const patterns = terms.map(([term, replacement]) => ({
  pattern: new RegExp(
    String.raw`\b(?:${term.replaceAll(' ', String.raw`\s+(?:(?://|#|\*)\s+)?`)})\b`,
    'gi',
  ),
  replacement,
}))

const fragmentPattern = { pattern: fragment, replacement: 'a sentence that names its subject' }

const files = process.argv.length > 2 ? process.argv.slice(2) : listFiles()
const findings = files.flatMap((file) => check(file, readFileSync(file, 'utf8')))
for (const finding of findings) console.error(finding)
console.log(`${files.length} files, ${findings.length} terms to replace`)
process.exitCode = findings.length > 0 ? 1 : 0

function listFiles() {
  process.chdir(root)
  const list = execFileSync('git', ['ls-files', '-z', '--', ...checked], { encoding: 'utf8' })
  return list.split('\0').filter(Boolean)
}

/**
 * @param {string} file
 * @param {string} text
 * @returns {string[]} findings as file:line, the term and its replacement
 */
function check(file, text) {
  const prose = file.endsWith('.md') ? blankCode(text) : text
  const all = whole.test(path.resolve(file)) ? [...patterns, fragmentPattern] : patterns
  return all.flatMap(({ pattern, replacement }) =>
    Array.from(prose.matchAll(pattern))
      .filter(({ index }) => !isAllowed(file, text, index))
      .map(({ 0: term, index }) => {
        const line = text.slice(0, index).split('\n').length
        return `${file}:${line}: "${term.replaceAll(/\s+/g, ' ').trim()}": use ${replacement}`
      }),
  )
}

/**
 * Replaces the code in a Markdown document by spaces; lines and columns stay.
 * @param {string} text
 */
function blankCode(text) {
  const code = /^ *```[^]*?^ *```$|`[^`]*`|<!--[^]*?-->|\]\([^)]*\)/gm
  return text.replaceAll(code, (match) => match.replaceAll(/[^\n]/g, ' '))
}

/**
 * @param {string} file
 * @param {string} text
 * @param {number} index
 */
function isAllowed(file, text, index) {
  return allowed.some(([place, phrase]) => {
    if (place !== file) return false
    const start = text.lastIndexOf(phrase, index)
    return start !== -1 && index < start + phrase.length
  })
}
