// @ts-check
// Writes the API reference from the TSDoc of the sources: docs/api.md lists every name that can be
// imported, and docs/reference has a page for each entry point. The comments of an entry point group its
// exports by topic and name the guides. The files are committed, so that a change of the public API shows
// up in review; a test fails when they are out of date. Usage: node scripts/docs/api-reference.js [--check]
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'
import { describe } from './describe-export.js'
import { sections, toSlug } from './read-exports.js'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** @returns {Record<string, string>} the text of each file, by its path */
function renderReference() {
  const pages = sections.map((section) => [`docs/${section.page}`, renderPage(section)])
  return { 'docs/api.md': renderIndex(), ...Object.fromEntries(pages) }
}

function renderIndex() {
  const contents = sections.map(
    ({ specifier, page, about }) => `| [\`${specifier}\`](${page}) | ${about} |`,
  )
  const parts = sections.map(({ specifier, page, topics }) => {
    const rows = topics.map(({ title, members }) => {
      const link = (/** @type {typeof members[number]} */ { name, anchor }) =>
        `[\`${name}\`](${page}#${anchor})`
      const values = members.filter(({ symbol }) => !isType(symbol)).map(link)
      const types = members.filter(({ symbol }) => isType(symbol)).map(link)
      return `| [${title}](${page}#${toSlug(title)}) | ${values.join(', ')} | ${types.join(', ')} |`
    })
    return `## \`${specifier}\`\n\n| Topic | Values | Types |\n| --- | --- | --- |\n${rows.join('\n')}\n`
  })
  return `# API reference

Every name that can be imported, by entry point and topic. Values are functions, classes and constants. Each
name links to its description, signature, parameters, properties, defaults and errors.

| Entry point | Content |
| --- | --- |
${contents.join('\n')}

\`@create-api/core/internal\` is the entry point of this project's own command line and can change in any
release. \`node scripts/docs/api-reference.js\` writes these pages from the source.

${parts.join('\n')}`
}

/** @param {typeof sections[number]} section */
function renderPage({ specifier, about, topics }) {
  const parts = topics.map(({ title, guides, members }) => {
    const links = guides.map((guide) => `[${guide.title}](../${guide.address})`)
    const texts = members.map((member) => describe(member))
    return `## ${title}\n\nSee ${links.join(' and ')}.\n\n${texts.join('\n')}`
  })
  return `# \`${specifier}\`

${about} [All names, by topic](../api.md)

${parts.join('\n')}`
}

/** @param {ts.Symbol} symbol */
function isType({ flags }) {
  return !(flags & (ts.SymbolFlags.Class | ts.SymbolFlags.Function | ts.SymbolFlags.Variable))
}

const files = renderReference()
for (const [file, text] of Object.entries(files)) {
  const target = path.join(root, file)
  mkdirSync(path.dirname(target), { recursive: true })
  if (!process.argv.includes('--check')) writeFileSync(target, text)
  else if (!existsSync(target) || readFileSync(target, 'utf8') !== text) {
    console.error(`${file} is out of date: run node scripts/docs/api-reference.js and review it.`)
    process.exitCode = 1
  }
}
