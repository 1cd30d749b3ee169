// @ts-check
// Writes the API reference from the TSDoc of the sources: docs/api.md lists every name that can be
// imported, and docs/reference has a page for each entry point with signatures, parameters, members,
// defaults and errors. The files are committed, so that a change of the public API shows up in review; a
// test fails when they are out of date. Usage: node scripts/api-reference.js [--check]
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'

const root = fileURLToPath(new URL('..', import.meta.url))

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
    '@create-api/client',
    'packages/client/src/index.ts',
    'The run time of generated clients: sessions, errors, pages, preconditions and retries.',
  ],
  [
    '@create-api/openapi-diff',
    'packages/openapi-diff/src/index.ts',
    'Compares two OpenAPI documents.',
  ],
]

/** @typedef {{ name: string, symbol: ts.Symbol, anchor: string }} Exported */

const program = ts.createProgram(
  entryPoints.map(([, source]) => path.join(root, source)),
  {
    module: ts.ModuleKind.NodeNext,
    target: ts.ScriptTarget.ES2023,
    customConditions: ['@create-api/source'],
    allowImportingTsExtensions: true,
    noEmit: true,
    skipLibCheck: true,
    // Text is made from nodes of the sources.
    setParentNodes: true,
  },
)
const checker = program.getTypeChecker()

/** @returns {Record<string, string>} the text of each file, by its path */
function renderReference() {
  const sections = entryPoints.map(([specifier, source, about]) => {
    const page = toPage(specifier)
    const rows = readExports(source).map(
      ({ name, symbol, anchor }) =>
        `| [\`${name}\`](${page}#${anchor}) | ${toKind(symbol)} | ${toPurpose(symbol)} |`,
    )
    return `## \`${specifier}\`\n\n${about}\n\n| Name | Kind | Purpose |\n| --- | --- | --- |\n${rows.join('\n')}\n`
  })
  const index = `# API reference

Written by \`node scripts/api-reference.js\` from the source. \`@create-api/core/internal\` serves this
project's own command line and can change in any release.

${sections.join('\n')}`
  const pages = entryPoints.map(([specifier, source, about]) => {
    const entries = readExports(source).map((exported) => describe(exported))
    const linked = about.replaceAll('](', '](../')
    const text = `# \`${specifier}\`\n\n${linked}\n\n[All entry points](../api.md)\n\n${entries.join('\n')}`
    return [`docs/${toPage(specifier)}`, text]
  })
  return { 'docs/api.md': index, ...Object.fromEntries(pages) }
}

/** @param {string} specifier */
function toPage(specifier) {
  return `reference/${specifier.replace('@create-api/', '').replace('/', '-')}.md`
}

/**
 * @param {string} file
 * @returns {Exported[]}
 */
function readExports(file) {
  const source = program.getSourceFile(path.join(root, file))
  const module = source && checker.getSymbolAtLocation(source)
  if (!module) throw new Error(`${file} exports nothing.`)
  const exports = checker
    .getExportsOfModule(module)
    .toSorted(
      (a, b) => compare(a.name.toLowerCase(), b.name.toLowerCase()) || compare(a.name, b.name),
    )
  return exports.map((exported, index) => {
    const isAlias = exported.flags & ts.SymbolFlags.Alias
    const anchor = exported.name.toLowerCase()
    // Names that differ in case only have anchors with a number.
    const isSecond = exports[index - 1]?.name.toLowerCase() === anchor
    return {
      name: exported.name,
      symbol: isAlias ? checker.getAliasedSymbol(exported) : exported,
      anchor: isSecond ? `${anchor}-1` : anchor,
    }
  })
}

/**
 * @param {string} a
 * @param {string} b
 */
function compare(a, b) {
  return a < b ? -1 : Number(a > b)
}

/** @param {ts.Symbol} symbol */
function toKind({ flags }) {
  if (flags & ts.SymbolFlags.Class) return 'class'
  if (flags & ts.SymbolFlags.Function) return 'function'
  if (flags & ts.SymbolFlags.Variable) return 'constant'
  return 'type'
}

/** @param {ts.Symbol} symbol */
function toPurpose(symbol) {
  const [sentence = ''] = /^.*?\.(?=\s|$)/s.exec(toText(symbol)) ?? []
  if (!sentence) throw new Error(`'${symbol.name}' has no TSDoc that starts with a sentence.`)
  return toCell(sentence)
}

/** @param {ts.Symbol} symbol */
function toText(symbol) {
  const text = ts.displayPartsToString(symbol.getDocumentationComment(checker))
  return text.replaceAll(/\{@link (\w+)(?:\.\w+)?\s*\}/g, '`$1`')
}

/** @param {string} text */
function toCell(text) {
  return text.replaceAll(/\s+/g, ' ').replaceAll('|', '\\|').trim()
}

/** @param {Exported} exported */
function describe({ name, symbol }) {
  const declarations = symbol.declarations ?? []
  const signatures = declarations.map((declaration) => toSignature(declaration)).filter(Boolean)
  const members = declarations.flatMap((declaration) => toMembers(declaration))
  const table =
    members.length > 0
      ? `\n| Member | Default | Purpose |\n| --- | --- | --- |\n${members.join('\n')}\n`
      : ''
  return `## \`${name}\`\n\n${toText(symbol)}\n\n\`\`\`ts\n${signatures.join('\n\n')}\n\`\`\`\n${describeTags(declarations)}${table}`
}

// What can be written about a declaration without its body.
/** @param {ts.Declaration} declaration */
function toSignature(declaration) {
  if (ts.isFunctionDeclaration(declaration)) {
    // The signature of the implementation of overloads cannot be called.
    const isImplementation = declaration.body !== undefined && hasOverloads(declaration)
    return isImplementation ? '' : withoutBody(declaration, declaration.body)
  }
  if (ts.isVariableDeclaration(declaration)) {
    const type = checker.getTypeAtLocation(declaration)
    return `const ${declaration.name.getText()}: ${toTypeText(type)}`
  }
  if (ts.isTypeAliasDeclaration(declaration)) return withoutComments(declaration)
  if (ts.isInterfaceDeclaration(declaration) || ts.isClassDeclaration(declaration)) {
    const end = declaration.members.pos
    const { text } = declaration.getSourceFile()
    return `${text.slice(declaration.getStart(), end).trim()} … }`
  }
  return ''
}

/** @param {ts.FunctionDeclaration} declaration */
function hasOverloads(declaration) {
  const symbol = declaration.name && checker.getSymbolAtLocation(declaration.name)
  return (symbol?.declarations?.length ?? 0) > 1
}

/**
 * @param {ts.Node} node
 * @param {ts.Node | undefined} body
 */
function withoutBody(node, body) {
  const { text } = node.getSourceFile()
  return text.slice(node.getStart(), body?.getFullStart() ?? node.end).trim()
}

/** @param {ts.Node} node */
function withoutComments(node) {
  return node.getText().replaceAll(/^\s*\/\*\*.*?\*\/\n/gms, '')
}

/** @param {ts.Type} type */
function toTypeText(type) {
  return checker.typeToString(
    type,
    undefined,
    ts.TypeFormatFlags.UseAliasDefinedOutsideCurrentScope,
  )
}

// Parameters, result and errors of functions; of overloads, those of each.
/** @param {readonly ts.Declaration[]} declarations */
function describeTags(declarations) {
  const lines = toTagLines(declarations)
  return lines.length > 0 ? `\n${lines.map((line) => `- ${line}`).join('\n')}\n` : ''
}

/** @param {readonly ts.Declaration[]} declarations */
function toTagLines(declarations) {
  const lines = declarations
    .flatMap((declaration) => ts.getJSDocTags(declaration))
    .map((tag) => {
      const text = toCell(ts.getTextOfJSDocComment(tag.comment) ?? '').replace(/^- /, '')
      if (ts.isJSDocParameterTag(tag)) return `\`${tag.name.getText()}\`: ${text}`
      if (ts.isJSDocReturnTag(tag)) return `Returns ${text}`
      return tag.tagName.text === 'throws' ? `Throws ${text}` : ''
    })
  return [...new Set(lines.filter(Boolean))]
}

/** @param {ts.Declaration} declaration */
function toMembers(declaration) {
  if (!ts.isInterfaceDeclaration(declaration) && !ts.isClassDeclaration(declaration)) return []
  return checker
    .getPropertiesOfType(checker.getTypeAtLocation(declaration))
    .filter(({ declarations }) => declarations?.some((member) => isOurs(member)))
    .map((member) => {
      const optional = member.flags & ts.SymbolFlags.Optional ? '?' : ''
      const type = toCell(toTypeText(checker.getTypeOfSymbol(member)).replace(/ \| undefined$/, ''))
      const value = member.getJsDocTags(checker).find((tag) => tag.name === 'default')
      const defaults = toCell(ts.displayPartsToString(value?.text))
      const tags = toTagLines(member.declarations ?? []).filter((line) =>
        /^(Returns|Throws) /.test(line),
      )
      const purpose = [toCell(toText(member)), ...tags.map((line) => `${line}.`)].join(' ')
      return `| \`${member.name}${optional}\`: \`${type}\` | ${defaults} | ${purpose} |`
    })
}

/** @param {ts.Declaration} declaration */
function isOurs(declaration) {
  return !declaration.getSourceFile().fileName.includes('/node_modules/')
}

const files = renderReference()
for (const [file, text] of Object.entries(files)) {
  const target = path.join(root, file)
  mkdirSync(path.dirname(target), { recursive: true })
  if (!process.argv.includes('--check')) writeFileSync(target, text)
  else if (!existsSync(target) || readFileSync(target, 'utf8') !== text) {
    console.error(`${file} is out of date: run node scripts/api-reference.js and review it.`)
    process.exitCode = 1
  }
}
