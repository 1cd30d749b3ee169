// @ts-check
// Writes docs/api.md: every name that can be imported from a package, with the first sentence of
// its TSDoc. The file is committed, so that a change of the public API shows up in review; a test
// fails when it is out of date. Usage: node scripts/api-reference.js [--check]
import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'

const root = fileURLToPath(new URL('..', import.meta.url))
const referenceFile = path.join(root, 'docs/api.md')

/** @type {[specifier: string, source: string, about: string][]} */
const entryPoints = [
  [
    '@create-api/core',
    'packages/core/src/index.ts',
    'What an application uses every day: the API, its routes and its errors.',
  ],
  [
    '@create-api/core/resource',
    'packages/core/src/resource.ts',
    'What a resource is built from: lists, filters, cursors, patches, versions, views.',
  ],
  [
    '@create-api/core/auth',
    'packages/core/src/auth.ts',
    'Authentication outside `createApi`, mail delivery and the types of its options.',
  ],
  [
    '@create-api/core/pipeline',
    'packages/core/src/pipeline.ts',
    'The stages as Express middleware, rate-limit stores, logging, and the means to write a stage. See [pipeline.md](pipeline.md).',
  ],
  ['@create-api/core/testing', 'packages/core/src/testing.ts', 'Helpers for tests.'],
  [
    '@create-api/embedded-mongo',
    'packages/embedded-mongo/src/index.ts',
    'The embedded database. `createApi` starts it by itself.',
  ],
  [
    '@create-api/openapi-diff',
    'packages/openapi-diff/src/index.ts',
    'Compares two OpenAPI documents.',
  ],
]

/** @returns {string} the text of docs/api.md */
function renderReference() {
  const program = ts.createProgram(
    entryPoints.map(([, source]) => path.join(root, source)),
    {
      module: ts.ModuleKind.NodeNext,
      target: ts.ScriptTarget.ES2023,
      customConditions: ['@create-api/source'],
      allowImportingTsExtensions: true,
      noEmit: true,
      skipLibCheck: true,
    },
  )
  const sections = entryPoints.map(([specifier, source, about]) => {
    const rows = describeExports(program, path.join(root, source))
    return `## \`${specifier}\`\n\n${about}\n\n| Name | Kind | Purpose |\n| --- | --- | --- |\n${rows.join('\n')}\n`
  })
  return `# API reference

Written by \`node scripts/api-reference.js\` from the source; every name has its full documentation
in the editor. \`@create-api/core/internal\` serves this project's own command line and can change in
any release.

${sections.join('\n')}`
}

/**
 * @param {ts.Program} program
 * @param {string} file
 */
function describeExports(program, file) {
  const checker = program.getTypeChecker()
  const source = program.getSourceFile(file)
  const symbol = source && checker.getSymbolAtLocation(source)
  if (!symbol) throw new Error(`${file} exports nothing.`)
  return checker
    .getExportsOfModule(symbol)
    .map((exported) => {
      const target =
        exported.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(exported) : exported
      return [exported.name, toKind(target), toPurpose(target, checker)]
    })
    .toSorted(([a = ''], [b = '']) => compare(a, b))
    .map(([name, kind, purpose]) => `| \`${name}\` | ${kind} | ${purpose} |`)
}

/**
 * @param {string} a
 * @param {string} b
 */
function compare(a, b) {
  return a.toLowerCase() < b.toLowerCase() ? -1 : 1
}

/** @param {ts.Symbol} symbol */
function toKind({ flags }) {
  if (flags & ts.SymbolFlags.Class) return 'class'
  if (flags & ts.SymbolFlags.Function) return 'function'
  if (flags & ts.SymbolFlags.Variable) return 'constant'
  return 'type'
}

/**
 * @param {ts.Symbol} symbol
 * @param {ts.TypeChecker} checker
 */
function toPurpose(symbol, checker) {
  const text = ts.displayPartsToString(symbol.getDocumentationComment(checker))
  const [sentence = ''] = /^.*?\.(?=\s|$)/s.exec(text) ?? []
  if (!sentence) throw new Error(`'${symbol.name}' has no TSDoc that starts with a sentence.`)
  return sentence
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/\{@link (\w+)\s*\}/g, '`$1`')
    .replaceAll('|', '\\|')
}

const text = renderReference()
if (!process.argv.includes('--check')) writeFileSync(referenceFile, text)
else if (readFileSync(referenceFile, 'utf8') !== text) {
  console.error('docs/api.md is out of date: run node scripts/api-reference.js and review it.')
  process.exitCode = 1
}
