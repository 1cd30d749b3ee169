// @ts-check
// Reads the entry points of the packages: what they export, grouped by the topics that their comments name.
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'

/**
 * @typedef {{ name: string, symbol: ts.Symbol, page: string, anchor: string }} Exported
 * @typedef {{ title: string, guides: Guide[], members: Exported[] }} Topic
 * @typedef {{ title: string, address: string }} Guide
 */

const root = fileURLToPath(new URL('../..', import.meta.url))

/** @type {[specifier: string, source: string, about: string][]} */
const entryPoints = [
  [
    '@create-api/core',
    'packages/core/src/index.ts',
    'The API, its routes, access rules, errors, uploads and streams: the imports of every application.',
  ],
  [
    '@create-api/core/resource',
    'packages/core/src/resource.ts',
    'The parts of a resource: lists, filters, schemas, views, partial updates, versions and deleted documents.',
  ],
  [
    '@create-api/core/auth',
    'packages/core/src/auth.ts',
    'Authentication as a service, mailers, and the types of their options.',
  ],
  [
    '@create-api/core/migrations',
    'packages/core/src/migrations.ts',
    'Changes of stored documents: the option of `createApi`, and the steps of migrations.',
  ],
  [
    '@create-api/core/tenants',
    'packages/core/src/tenants.ts',
    'Organizations: the option of `createApi`, and the access rules of members.',
  ],
  ['@create-api/core/exports', 'packages/core/src/exports.ts', 'Lists as CSV and NDJSON.'],
  [
    '@create-api/core/audit',
    'packages/core/src/audit.ts',
    'The audit trail of a model: its entries, their verification, and the route that reads them.',
  ],
  [
    '@create-api/core/personal-data',
    'packages/core/src/personal-data.ts',
    "A person's data: its export, its erasure, and the routes for them.",
  ],
  [
    '@create-api/core/bulk',
    'packages/core/src/bulk.ts',
    'Many changes of a resource in one request.',
  ],
  [
    '@create-api/core/live',
    'packages/core/src/live.ts',
    'The changes of a list as server-sent events.',
  ],
  [
    '@create-api/core/metrics',
    'packages/core/src/metrics.ts',
    'Metrics for Prometheus: the option of `createApi`.',
  ],
  [
    '@create-api/core/pipeline',
    'packages/core/src/pipeline.ts',
    'The stages of the pipeline as Express middleware, the functions for writing a stage, stores of rate limits, and loggers.',
  ],
  [
    '@create-api/core/testing',
    'packages/core/src/testing.ts',
    'A test client, and a check that tries every route against its access rule.',
  ],
  [
    '@create-api/embedded-mongo',
    'packages/embedded-mongo/src/index.ts',
    'The embedded database. `createApi` starts it by itself; import it to use it elsewhere.',
  ],
  [
    '@create-api/client',
    'packages/client/src/index.ts',
    'The runtime of generated clients: sessions, failures, pages, preconditions and retries.',
  ],
  [
    '@create-api/jobs',
    'packages/jobs/src/index.ts',
    'Background jobs and schedules: the option of `createApi`, and the functions that define jobs and add them.',
  ],
  [
    '@create-api/jobs/events',
    'packages/jobs/src/events.ts',
    'Events that belong to a transaction, their handlers, and the events of a resource.',
  ],
  [
    '@create-api/jobs/bullmq',
    'packages/jobs/src/bullmq.ts',
    'Hands jobs to BullMQ after the transaction that they belong to.',
  ],
  [
    '@create-api/jobs/testing',
    'packages/jobs/src/testing.ts',
    'Runs jobs and handlers at once, in tests.',
  ],
  [
    '@create-api/webhooks',
    'packages/webhooks/src/index.ts',
    'Webhooks: the events that are sent, the routes of endpoints, and the jobs that send.',
  ],
  [
    '@create-api/webhooks/receive',
    'packages/webhooks/src/receive.ts',
    'Verifies webhooks that a service receives.',
  ],
  [
    '@create-api/client/live',
    'packages/client/src/live.ts',
    'The changes of live lists, and pages that they keep current.',
  ],
  [
    '@create-api/client/passkeys',
    'packages/client/src/passkeys.ts',
    'Passkeys in browsers: registration, login and recent proof.',
  ],
  [
    '@create-api/mcp',
    'packages/mcp/src/index.ts',
    'Serves chosen routes as tools of the Model Context Protocol.',
  ],
  [
    '@create-api/sign-in',
    'packages/sign-in/src/index.ts',
    'Adds a second factor and logins by mail to authentication.',
  ],
  [
    '@create-api/sign-in/passkeys',
    'packages/sign-in/src/passkeys.ts',
    'Passkeys: the option of `createSignIn`.',
  ],
  [
    '@create-api/sign-in/providers',
    'packages/sign-in/src/providers.ts',
    'Logins with other providers: the option of `createSignIn`.',
  ],
  [
    '@create-api/sign-in/testing',
    'packages/sign-in/src/testing.ts',
    'Codes of authenticator applications, in tests.',
  ],
  [
    '@create-api/openapi-diff',
    'packages/openapi-diff/src/index.ts',
    'Compares two OpenAPI documents and reports breaking changes.',
  ],
]

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

export const checker = program.getTypeChecker()

/** The entry points, each with its page below docs/. */
export const sections = entryPoints.map(([specifier, source, about]) => {
  const page = `reference/${specifier.replace('@create-api/', '').replace('/', '-')}.md`
  return { specifier, about, page, topics: readTopics(source, page) }
})

/**
 * Reads the topics of an entry point. A comment begins a topic: `// Title: docs/guide.md, docs/other.md#section`.
 * @param {string} file
 * @param {string} page
 */
function readTopics(file, page) {
  const source = program.getSourceFile(path.join(root, file))
  /** @type {Topic[]} */
  const topics = []
  for (const statement of source?.statements ?? []) {
    const comments = statement.getFullText().slice(0, statement.getLeadingTriviaWidth())
    const [, title, guides] = /^\/\/ (.+): (docs\/.+)$/m.exec(comments) ?? []
    if (title && guides) {
      topics.push({ title, guides: guides.split(', ').map(toGuide), members: [] })
    }
    const topic = topics.at(-1)
    if (!topic) throw new Error(`${file} begins without a topic.`)
    topic.members.push(...readExports(statement, page))
  }
  for (const { members } of topics) {
    members.sort((a, b) => Number(isType(a)) - Number(isType(b)))
  }
  setAnchors(topics)
  return topics
}

/**
 * @param {ts.Statement} statement
 * @param {string} page
 * @returns {Exported[]}
 */
function readExports(statement, page) {
  const clause = ts.isExportDeclaration(statement) && statement.exportClause
  if (!clause || !ts.isNamedExports(clause)) {
    throw new Error(`An entry point contains only lists of exports: ${statement.getText()}`)
  }
  const named = clause.elements.filter(({ name }) => name.text !== 'default')
  return named.map(({ name }) => {
    const alias = checker.getSymbolAtLocation(name)
    if (!alias) throw new Error(`'${name.text}' does not exist.`)
    return { name: name.text, symbol: checker.getAliasedSymbol(alias), page, anchor: '' }
  })
}

/** @param {Exported} exported */
function isType({ symbol }) {
  return !(symbol.flags & ts.SymbolFlags.Value)
}

// Of headings that differ in case only, the later ones have anchors with a number.
/** @param {readonly Topic[]} topics */
function setAnchors(topics) {
  /** @type {Map<string, number>} */
  const seen = new Map()
  /** @param {string} heading */
  function toAnchor(heading) {
    const slug = toSlug(heading)
    const count = seen.get(slug) ?? 0
    seen.set(slug, count + 1)
    return count === 0 ? slug : `${slug}-${count}`
  }
  for (const { title, members } of topics) {
    toAnchor(title)
    for (const member of members) member.anchor = toAnchor(member.name)
  }
}

// A guide, or the section that its address names.
/**
 * @param {string} address
 * @returns {Guide}
 */
function toGuide(address) {
  const [file = '', section] = address.split('#')
  const text = readFileSync(path.join(root, file), 'utf8')
  const headings = Array.from(text.matchAll(/^#+ (.*)$/gm), ([, heading = '']) => heading)
  const title = section ? headings.find((heading) => toSlug(heading) === section) : headings[0]
  if (!title) throw new Error(`${address} does not exist.`)
  return { title: title.replaceAll('`', ''), address: address.replace('docs/', '') }
}

/** @param {string} title */
export function toSlug(title) {
  const words = title.toLowerCase().replaceAll(/[^\w\s-]/g, '')
  return words.replaceAll(' ', '-')
}
